"""Every setting, from the environment. docs/operations.md says what each one does.

Those of accounts and of security change for reasons of their own and stand in files of their own.
Two ways to run: production, which refuses to start without its keys, and local
(CALLBOARD_LOCAL=1, set by manage.py and the tests): plain http on loopback, this clone's own keys.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.management.utils import get_random_secret_key
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from leaderboard.account_settings import *  # noqa: F403
from leaderboard.environment import (
    BEHIND_PROXY,
    DEBUG,
    LOCAL,
    database,
    limits,
    listed,
    mail,
    number,
    required,
    sealing_keys,
)
from leaderboard.security_settings import *  # noqa: F403

BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = required(
    "CALLBOARD_SECRET_KEY",
    local=get_random_secret_key() if LOCAL else None,
    what="give it a long random text that stays the same; sessions are signed with it.",
)
# Fernet keys that seal submitters' API keys; the first seals, all open.
CALLBOARD_KEYS = sealing_keys(
    required(
        "CALLBOARD_KEYS",
        local=Fernet.generate_key().decode() if LOCAL else None,
        what="give it a Fernet key (docs/operations.md says how); API keys are sealed with it.",
    )
)
ALLOWED_HOSTS = listed(
    required(
        "CALLBOARD_HOSTS",
        local="localhost,127.0.0.1,[::1],testserver" if LOCAL else None,
        what="give it the site's host names, with commas between them.",
    )
)
# Where people reach the site: what links in mail begin with.
CALLBOARD_URL = os.environ.get("CALLBOARD_URL") or f"https://{ALLOWED_HOSTS[0].lstrip('.*')}/"
# Seconds after which the work of a lost worker is given to another.
CALLBOARD_LEASE = float(os.environ.get("CALLBOARD_LEASE") or 120)
# host:port of endpoints that may be asked although their address is not public
CALLBOARD_ALLOW = frozenset(listed(os.environ.get("CALLBOARD_ALLOW", "")))
# Requests in flight at one host over all workers and submissions; 0: no limit. Hosts that are
# listed above have none.
CALLBOARD_HOST_IN_FLIGHT = number("CALLBOARD_HOST_IN_FLIGHT", 64)
# What may be submitted; 0: no limit, as for one person on one machine.
_RUNS = {"account": 20, "organisation": 60, "host": 60}
_CASES = {"account": 30_000, "organisation": 60_000, "host": 60_000}
CALLBOARD_RUNS_A_WEEK = limits("RUNS", **dict.fromkeys(_RUNS, 0) if LOCAL else _RUNS)
CALLBOARD_CASES_IN_FLIGHT = limits("CASES", **dict.fromkeys(_CASES, 0) if LOCAL else _CASES)

# Web search cases: the operator's key, another address of the search service, and whether a run
# sees the web that was recorded first ("replay") or fetches anew ("live")
CALLBOARD_SERPAPI_KEY = os.environ.get("CALLBOARD_SERPAPI_KEY", "")
CALLBOARD_SERPAPI_URL = os.environ.get("CALLBOARD_SERPAPI_URL", "")
CALLBOARD_WEB = os.environ.get("CALLBOARD_WEB") or "replay"

INSTALLED_APPS = [
    "leaderboard",
    "submissions",
    "evaluation",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.github",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "rest_framework",
]
MIDDLEWARE = [
    "leaderboard.api.refusals.ProblemsOnly",
    "django.middleware.security.SecurityMiddleware",
    "leaderboard.middleware.PermissionsPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "leaderboard.middleware.SmallBodies",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csp.middleware.CSPMiddleware",
    "leaderboard.api.cors.ReadableFromAnywhere",
]
ROOT_URLCONF = "leaderboard.urls"
WSGI_APPLICATION = "leaderboard.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {"default": database(os.environ.get("DATABASE_URL", "postgresql:///callboard"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
KEY_PREFIX = os.environ.get("CALLBOARD_KEY_PREFIX", "callboard:")
CACHES = {
    "default": {
        "BACKEND": "leaderboard.cache.ForgivingRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": f"{KEY_PREFIX}cache",
        "OPTIONS": {
            "socket_timeout": 2,
            "socket_connect_timeout": 2,
            # A page does not wait for a broken cache; one that is silent is not asked twice.
            "retry": Retry(NoBackoff(), 1, supported_errors=(RedisConnectionError,)),
        },
    }
}

# How long public pages may go without noticing what nobody announces, such as an import. What is
# published or hidden here shows at once.
CALLBOARD_VERSION_SECONDS = 60

CELERY_BROKER_URL = REDIS_URL  # the rest of Celery's settings: leaderboard/celery.py

# Mail: to the operator's server; on one machine into files; elsewhere nobody can sign up.
CALLBOARD_MAIL = os.environ.get("CALLBOARD_MAIL", "")
EMAIL_FILE_PATH = Path(os.environ.get("CALLBOARD_DATA") or BASE_DIR / ".data") / "mail"
DEFAULT_FROM_EMAIL = os.environ.get("CALLBOARD_MAIL_FROM") or "Callboard <callboard@localhost>"
globals().update(mail(CALLBOARD_MAIL, local=LOCAL))

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-gb"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("CALLBOARD_STATIC") or BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
_FILES = "django.contrib.staticfiles.storage.StaticFilesStorage"
_HASHED_FILES = "whitenoise.storage.CompressedManifestStaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _FILES if DEBUG else _HASHED_FILES},
}

# The REST API: what everybody may see, to everybody, so nobody signs in.
CALLBOARD_API_RATE = os.environ.get("CALLBOARD_API_RATE") or "300/min"  # requests of one address
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_SCHEMA_CLASS": "leaderboard.api.schema.Description",
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "leaderboard.api.problems.as_problem",
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Callboard",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.with_problems",
    ],
    "DESCRIPTION": (
        "Everything the public pages show, without a key; and with a token of your account,"
        " what you submit. Accuracies and shares are fractions in [0, 1], times UTC in ISO 8601,"
        " money US dollars. docs/api.md tells it with examples."
    ),
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "()": "leaderboard.logs.BlottingFormatter",
            "fmt": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": os.environ.get("CALLBOARD_LOG", "INFO").upper()},
    # Django's own handlers would mail or print past the blotting.
    "loggers": {"django": {"handlers": [], "propagate": True}},
}
