"""Settings: production refuses to start half-configured; one machine needs no configuration."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cryptography.fernet import Fernet

from leaderboard.embedded.home import PROJECT

PRODUCTION = {
    "CALLBOARD_SECRET_KEY": "a-long-and-random-text-for-signing-that-nobody-can-guess-0123456789",
    "CALLBOARD_KEYS": Fernet.generate_key().decode(),
    "CALLBOARD_HOSTS": "callboard.example",
    "DATABASE_URL": "postgresql://someone:p%40ss@db.example:5433/board?sslmode=require",
    "REDIS_URL": "redis://cache.example/0",
    "CALLBOARD_BEHIND_PROXY": "1",
}


def manage(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={"PATH": "/usr/bin:/bin", "CALLBOARD_DATA": "/nonexistent"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def setting(environment: dict[str, str], expression: str) -> str:
    script = f"from leaderboard import settings; print({expression})"
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


@pytest.mark.parametrize("missing", ["CALLBOARD_SECRET_KEY", "CALLBOARD_KEYS", "CALLBOARD_HOSTS"])
def test_production_without_one_of_its_keys_refuses_in_one_sentence(missing: str) -> None:
    environment = {name: value for name, value in PRODUCTION.items() if name != missing}

    answer = manage(environment, "migrate")

    assert answer.returncode == 1
    assert answer.stderr.startswith(f"{missing} is not set: ")
    assert answer.stderr.count("\n") == 1


def test_a_sealing_key_that_is_no_key_is_refused_before_anything_starts() -> None:
    answer = manage(PRODUCTION | {"CALLBOARD_KEYS": "hunter2"}, "migrate")

    assert answer.returncode == 1
    assert answer.stderr.startswith("CALLBOARD_KEYS holds something that is no Fernet key")


def test_production_passes_the_deployment_checks() -> None:
    answer = manage(PRODUCTION, "check", "--deploy", "--fail-level", "WARNING")

    assert answer.stdout.startswith("System check identified no issues"), answer.stderr
    assert answer.returncode == 0


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("settings.SESSION_COOKIE_SECURE and settings.CSRF_COOKIE_SECURE", "True"),
        ("settings.SECURE_SSL_REDIRECT", "True"),
        ("settings.DEBUG", "False"),
        ("settings.DATABASES['default']['PASSWORD']", "p@ss"),
        ("settings.DATABASES['default']['PORT']", "5433"),
        ("settings.DATABASES['default']['OPTIONS']['sslmode']", "require"),
        ("settings.ALLOWED_HOSTS", "['callboard.example']"),
    ],
)
def test_production_is_read_from_the_environment(expression: str, value: str) -> None:
    assert setting(PRODUCTION, expression) == value


def test_a_local_start_serves_plain_http_on_loopback_names_only() -> None:
    local = {"CALLBOARD_LOCAL": "1"}

    assert setting(local, "settings.SECURE_SSL_REDIRECT") == "False"
    assert setting(local, "'*' in settings.ALLOWED_HOSTS") == "False"


def test_no_page_may_carry_inline_script_or_style() -> None:
    policy = setting({"CALLBOARD_LOCAL": "1"}, "settings.CONTENT_SECURITY_POLICY")

    assert "unsafe" not in policy
    assert "'default-src': [\"'none'\"]" in policy
