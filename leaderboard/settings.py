"""Every setting, from the environment. docs/operations.md says what each one does.

Two ways to run: production, which refuses to start without its keys, and local
(CALLBOARD_LOCAL=1, set by manage.py and the tests): plain http on loopback, this clone's own keys.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.fernet import Fernet
from django.core.management.utils import get_random_secret_key
from redis.backoff import NoBackoff
from redis.retry import Retry

from leaderboard.environment import database, limits, listed, mail, number, required, sealing_keys

BASE_DIR = Path(__file__).resolve().parent.parent
DEBUG = os.environ.get("CALLBOARD_DEBUG") == "1"
LOCAL = DEBUG or os.environ.get("CALLBOARD_LOCAL") == "1"

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
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
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
            "retry": Retry(NoBackoff(), 1),  # a page does not wait for a broken cache
        },
    }
}

# How long public pages may go without noticing what nobody announces, such as an import. What is
# published or hidden here shows at once.
CALLBOARD_VERSION_SECONDS = 60

CELERY_BROKER_URL = REDIS_URL  # the rest of Celery's settings: leaderboard/celery.py

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "my-submissions"
LOGOUT_REDIRECT_URL = "home"

# Accounts: a name, an address that has been verified, a password; two factors where wanted.
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
ACCOUNT_ADAPTER = "submissions.accounts.Accounts"
ACCOUNT_FORMS = {"login": "submissions.accounts.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_USERNAME_BLACKLIST = ["admin", "administrator", "callboard", "moderator", "root", "staff"]
ACCOUNT_USERNAME_VALIDATORS = "submissions.accounts.USERNAME_VALIDATORS"
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
ACCOUNT_EMAIL_NOTIFICATIONS = True  # of a changed password, address or second factor
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Callboard] "
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_SIGNUP_REDIRECT_URL = "submit"
ACCOUNT_DEFAULT_HTTP_PROTOCOL = "http" if LOCAL else "https"
# Attempts per address of the sender (ip), per name or address tried (key), per account (user).
# More than these answer 429.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/300s/key",
    "signup": "10/m/ip,60/d/ip",
    "confirm_email": "1/10s/key",
    "reset_password": "10/m/ip,5/m/key",
    "reset_password_from_key": "10/m/ip",
    "change_password": "5/m/user",
    "manage_email": "10/m/user",
    "reauthenticate": "10/m/user",
    # our own pages
    "export": "5/m/user",
    "delete": "5/m/user",
    "token": "10/m/user",
    "organisation": "20/m/user",
}
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if os.environ.get("CALLBOARD_BEHIND_PROXY") == "1" else 0
MFA_ADAPTER = "submissions.accounts.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Callboard"
MFA_TOTP_TOLERANCE = 1  # periods of 30 seconds by which a clock may be off
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = LOCAL
MFA_RATE_LIMITS = {"webauthn_login": "10/m/ip"}
# Sign in with GitHub is offered when the operator has registered this site there.
CALLBOARD_GITHUB = bool(os.environ.get("CALLBOARD_GITHUB_ID"))
SOCIALACCOUNT_ADAPTER = "submissions.accounts.GitHubAccounts"
SOCIALACCOUNT_PROVIDERS = {"github": {"SCOPE": ["user:email"], "VERIFIED_EMAIL": False}}
if CALLBOARD_GITHUB:
    SOCIALACCOUNT_PROVIDERS["github"]["APPS"] = [
        {
            "client_id": os.environ["CALLBOARD_GITHUB_ID"],
            "secret": os.environ.get("CALLBOARD_GITHUB_SECRET", ""),
        }
    ]

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

# Everywhere: no inline script or style, nothing from elsewhere.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        # a form that leads on to GitHub counts as sent there
        "form-action": ["'self'", *(["https://github.com"] if CALLBOARD_GITHUB else [])],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not LOCAL
SECURE_SSL_REDIRECT = not LOCAL
SECURE_HSTS_SECONDS = 0 if LOCAL else int(os.environ.get("CALLBOARD_HSTS") or 31_536_000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not LOCAL
if os.environ.get("CALLBOARD_BEHIND_PROXY") == "1":  # it must set, not pass on, this header
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

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
    "NUM_PROXIES": 1 if os.environ.get("CALLBOARD_BEHIND_PROXY") == "1" else 0,
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
        "Everything the public pages show, read-only. Accuracies and shares are fractions in"
        " [0, 1], times UTC in ISO 8601, money US dollars. docs/api.md tells it with examples."
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
