"""The files for containers: what is in the image, and who reaches whom."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from leaderboard.embedded.home import PROJECT

DEPLOY = PROJECT / "deploy"
OPERATIONS = (PROJECT / "docs" / "operations.md").read_text()
INSIDE = ("postgres", "redis")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def test_database_and_redis_are_reached_from_inside_alone(compose: dict[str, Any]) -> None:
    for name in INSIDE:
        assert compose["services"][name]["networks"] == ["data"]
        assert "ports" not in compose["services"][name]
    assert compose["networks"]["data"] == {"internal": True}


def test_only_the_web_is_published_and_only_to_the_proxy_on_this_machine(
    compose: dict[str, Any],
) -> None:
    published = {name: one["ports"] for name, one in compose["services"].items() if "ports" in one}

    assert published == {"web": ["127.0.0.1:8000:8000"]}


def test_what_is_ours_runs_without_rights(compose: dict[str, Any]) -> None:
    for name, one in compose["services"].items():
        if name not in INSIDE:
            assert one["cap_drop"] == ["ALL"], name
            assert one["read_only"], name
            assert one["security_opt"] == ["no-new-privileges:true"], name
    assert "\nUSER callboard\n" in (DEPLOY / "Dockerfile").read_text()


def test_every_variable_is_one_that_operators_can_read_about(compose: dict[str, Any]) -> None:
    for name in compose["x-callboard"]["environment"]:
        assert f"`{name}`" in OPERATIONS, name


def test_no_secret_has_a_default() -> None:
    text = (DEPLOY / "compose.yaml").read_text()

    asked = re.findall(r"\$\{(\w*(?:PASSWORD|SECRET_KEY|CALLBOARD_KEYS))(:\?)?", text)

    assert asked
    assert all(is_required for _, is_required in asked)


def test_the_image_holds_the_product_and_nothing_else() -> None:
    text = (DEPLOY / "Dockerfile").read_text()

    copied = {word for line in re.findall(r"^COPY (.+) \S+$", text, re.M) for word in line.split()}
    let_in = (PROJECT / ".dockerignore").read_text()

    product = {"manage.py", "leaderboard", "submissions", "evaluation", "templates", "static"}
    assert copied == product | {"requirements.txt", "requirements-benchmarks.txt"}
    assert all((PROJECT / name).exists() for name in copied)
    assert all(f"!{name}" in let_in for name in product)
    assert "leaderboard.gunicorn" in text
