"""What holds at every address of the API: errors, conditions, rates, who may read."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from drf_spectacular.validation import validate_schema
from pytest_django import Settings

from evaluation.services import publishing
from leaderboard import loading
from tests import make

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    cache.clear()


def problem(response: Any, status: int) -> Any:
    assert response.status_code == status
    assert response.headers["Content-Type"] == "application/problem+json"
    found = json.loads(response.content)
    assert {"type", "title", "status", "detail", "instance"} <= set(found)
    assert found["status"] == status
    return found


@pytest.mark.parametrize(
    ("path", "parameter"),
    [
        ("entries/?mode=FC", "mode"),
        ("entries/?modus=fc", "modus"),
        ("entries/?limit=0", "limit"),
        ("entries/?limit=501", "limit"),
        ("entries/?limit=many", "limit"),
        ("runs/?benchmark=%00", "benchmark"),
        ("snapshots/?date=yesterday", "date"),
        ("benchmarks/bfcl-v4/?view=x", "view"),
        ("standings/bfcl-v4/?view=nothing", "view"),
        ("standings/bfcl-v4/?sort=nothing", "sort"),
        ("standings/bfcl-v4/?page=0", "page"),
        ("standings/bfcl-v4/?cols=multiple,nothing", "cols"),
        ("standings/bfcl-v4/?cost_max=nan", "cost_max"),
        ("standings/bfcl-v4/?since=today", "since"),
        ("standings/bfcl-v4/?format=csv", "format"),
    ],
)
def test_what_is_not_understood_is_named(client: Client, path: str, parameter: str) -> None:
    make.benchmark()

    found = problem(client.get(f"{API}/{path}"), 400)

    assert [one["parameter"] for one in found["errors"]] == [parameter]
    assert found["errors"][0]["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "nothing/at/all/",
        "runs/1/",
        "runs/x/",
        f"runs/{10**17}/",
        "benchmarks/x/",
        "standings/x/",
        "runs/7/samples/",
        "entries/?cursor=x",
        "models/%00/",
    ],
)
def test_what_is_not_there_is_a_problem_that_says_where_to_look(client: Client, path: str) -> None:
    assert problem(client.get(f"{API}/{path}"), 404)["detail"]


@pytest.mark.parametrize(
    "position", ["p=abc", "p=1%00", "p=" + "9" * 40, "p=-1", "o=99999", "r=1"]
)
def test_a_forged_cursor_never_breaks_anything(client: Client, position: str) -> None:
    cursor = base64.b64encode(position.encode()).decode()

    response = client.get(f"{API}/entries/", {"cursor": cursor})

    assert response.status_code in (200, 404)


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_can_be_written(client: Client, method: str) -> None:
    response = getattr(client, method)(f"{API}/runs/")

    problem(response, 405)


def test_only_json_is_spoken(client: Client) -> None:
    problem(client.get(f"{API}/runs/", headers={"Accept": "text/html"}), 406)


@pytest.mark.parametrize("path", ["", "entries/", "standings/bfcl-v4/", "openapi.json"])
def test_an_unchanged_answer_is_not_sent_again(client: Client, path: str) -> None:
    make.finished_run()
    tag = client.get(f"{API}/{path}").headers["ETag"]

    again = client.get(f"{API}/{path}", headers={"If-None-Match": tag})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == tag


def test_publishing_changes_the_tag_at_once(client: Client) -> None:
    run = make.finished_run(make.entry(make.card("Bob")), published=False)
    tag = client.get(f"{API}/entries/").headers["ETag"]

    publishing.publish(run)

    response = client.get(f"{API}/entries/", headers={"If-None-Match": tag})
    assert response.json()["results"][0]["name"] == "Bob"


def test_the_rate_is_told_and_then_enforced(client: Client, settings: Settings) -> None:
    settings.CALLBOARD_API_RATE = "2/min"

    first, second, third = (client.get(f"{API}/runs/") for _ in range(3))

    assert first.headers["RateLimit-Policy"] == '"address";q=2;w=60'
    assert first.headers["RateLimit"].startswith('"address";r=1;')
    assert second.headers["RateLimit"].startswith('"address";r=0;')
    problem(third, 429)
    assert 0 < int(third.headers["Retry-After"]) <= 60


def test_scripts_of_other_sites_may_read_and_only_read(client: Client) -> None:
    origin = {"Origin": "https://example.org"}
    asking = origin | {"Access-Control-Request-Method": "GET"}

    read = client.get(f"{API}/runs/", headers=origin)
    leave = client.options(f"{API}/runs/", headers=asking)
    write = client.post(f"{API}/runs/", headers=origin)
    page = client.get("/methodology/", headers=origin)

    assert read.headers["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in read.headers["Access-Control-Expose-Headers"]
    assert leave.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Access-Control-Allow-Origin" not in write.headers
    assert "Access-Control-Allow-Origin" not in page.headers
    assert "Access-Control-Allow-Credentials" not in read.headers


def test_the_description_is_openapi_with_an_example_of_every_answer(client: Client) -> None:
    found = client.get(f"{API}/openapi.json").json()

    assert found["openapi"].startswith("3.1")
    for path, method, one in every_operation(found):
        answer = one["responses"].get("200") or one["responses"]["201"]
        own = {"401"} if one.get("security") else {"304"}
        assert answer["content"]["application/json"].get("examples"), (path, method)
        assert one["responses"].keys() >= {"400", "404", "429"} | own, (path, method)


def test_the_description_is_valid(client: Client) -> None:
    validate_schema(client.get(f"{API}/openapi.json").json())  # type: ignore[no-untyped-call]


def every_operation(description: Any) -> Iterator[tuple[str, str, Any]]:
    for path, item in description["paths"].items():
        for method, one in item.items():
            yield path, method, one


def test_the_description_can_be_read_as_a_page_without_scripts(client: Client) -> None:
    page = client.get(f"{API}/docs/")

    assert page.status_code == 200
    for path in ("/api/v1/standings/{slug}/", "/api/v1/runs/{run}/samples/"):
        assert f"GET {path}" in page.text
    assert "rank_from" in page.text


def test_the_index_leads_to_everything(client: Client) -> None:
    found = client.get(f"{API}/").json()

    for name in ("benchmarks", "models", "runs", "openapi", "documentation"):
        assert client.get(found[name]).status_code == 200


@pytest.mark.parametrize("path", ["/api/", "/api/v2/", "/api/v2/runs/", "/api/nothing.json"])
def test_beside_the_first_version_there_is_nothing_and_a_problem_says_so(
    client: Client, path: str
) -> None:
    found = problem(client.get(path), 404)

    assert "/api/v1/" in found["detail"]
    assert found["instance"] == path


def test_another_host_is_refused_by_a_problem(client: Client) -> None:
    response = client.get(f"{API}/runs/", headers={"host": "elsewhere.example"})

    assert "host" in problem(response, 400)["detail"]


def test_a_form_of_another_site_is_refused_by_a_problem() -> None:
    client = Client(enforce_csrf_checks=True)

    response = client.post(f"{API}/openapi.json", {"a": "b"})

    assert problem(response, 403)["detail"]


def test_a_method_nobody_offers_is_a_problem_that_keeps_its_header(client: Client) -> None:
    response = client.post(f"{API}/docs/")

    problem(response, 405)
    assert response.headers["Allow"] == "GET, HEAD"


def test_a_mistake_of_ours_is_a_problem_without_any_of_its_insides(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a secret of the program")

    make.benchmark()
    monkeypatch.setattr(loading, "asked", broken)
    client.raise_request_exception = False

    response = client.get(f"{API}/standings/bfcl-v4/")

    assert "mistake of ours" in problem(response, 500)["detail"]
    assert b"secret" not in response.content
    assert response.headers["Access-Control-Allow-Origin"] == "*"


def test_pages_keep_errors_for_people(client: Client) -> None:
    response = client.get("/nothing/at/all/")

    assert response.status_code == 404
    assert response.headers["Content-Type"].startswith("text/html")
