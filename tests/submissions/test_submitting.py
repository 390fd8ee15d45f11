"""Submitting an endpoint: everything or nothing, and a sentence for every wrong input."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from evaluation.models import Benchmark, Category, Endpoint, ModelCard, Run
from evaluation.secrets import open_sealed
from submissions.models import Submission
from tests import make
from tests.submissions.answers import KEY, good_answers

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client) -> Client:
    """A browser in which ada has signed in, on a board with one benchmark."""
    make.benchmark()
    client.force_login(make.user("ada"))
    return client


def errors_of(page: object) -> dict[str, list[str]]:
    form = page.context["form"]  # type: ignore[attr-defined]
    return {name: [str(error) for error in errors] for name, errors in form.errors.items()}


def test_a_good_form_makes_card_endpoint_and_a_queued_run_and_leads_to_its_page(
    ada: Client,
) -> None:
    page = ada.post("/submit/", good_answers(price_in="0.20", price_out="0.8"))

    run = Run.objects.get()
    assert page.status_code == 302
    assert page["Location"] == f"/runs/{run.pk}/"
    assert run.state == Run.State.QUEUED
    assert run.entry.card.name == "Example model"
    assert Submission.objects.get().run == run
    assert json.loads(run.configuration)["price_in"] == "0.20"


def test_the_key_is_sealed_and_only_its_last_four_characters_are_kept(ada: Client) -> None:
    ada.post("/submit/", good_answers())

    endpoint = Endpoint.objects.get()
    assert KEY.encode() not in bytes(endpoint.sealed_key or b"")
    assert open_sealed(endpoint.sealed_key or b"") == KEY
    assert endpoint.key_last_four == KEY[-4:]
    assert KEY not in Run.objects.get().configuration


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        pytest.param("base_url", "", "Give the address", id="no-address"),
        pytest.param("base_url", "ftp://example.org/v1", "https", id="another-scheme"),
        pytest.param("base_url", "http://api.example.org/v1", "https", id="plain-http"),
        pytest.param("base_url", "https://10.0.0.4/v1", "public", id="private-address"),
        pytest.param("base_url", "https://localhost/v1", "public", id="localhost"),
        pytest.param("base_url", "https://169.254.169.254/v1", "public", id="metadata"),
        pytest.param("base_url", "https://a:b@example.org/v1", "@", id="userinfo"),
        pytest.param("base_url", "https://example.org:22/v1", "Port 22", id="another-port"),
        pytest.param("base_url", "https://example.org/v1?key=1", "?", id="query"),
        pytest.param("base_url", "https://exa mple.org/v1", "", id="space"),
        pytest.param("base_url", "https://[::1", "address", id="broken-brackets"),
        pytest.param("base_url", "https://example.org/\x00", "", id="nul"),
        pytest.param("remote_model", "", "Give the name", id="no-model"),
        pytest.param("key", "sk-123456789012345\n6", "line break", id="key-with-a-newline"),
        pytest.param("key", f"{KEY} ", "", id="key-with-a-space"),
        pytest.param("key", "kéy-0123456789abcdef", "ASCII", id="key-not-ascii"),
        pytest.param("key", "short", "16", id="short-key"),
        pytest.param("key", f"Bearer {KEY}", "Bearer", id="bearer"),
        pytest.param("auth_header", "Host", "header", id="reserved-header"),
        pytest.param("auth_header", "X\r\nEvil", "header", id="smuggled-header"),
        pytest.param("api_version", "2024 06", "version", id="odd-version"),
        pytest.param("mode", "other", "FC or Prompt", id="unknown-mode"),
        pytest.param("parameters", "temperature", "name = value", id="no-value"),
        pytest.param("parameters", "{'a': 1}", "JSON", id="not-json"),
        pytest.param("parameters", '{"temperature": NaN}', "JSON", id="nan"),
        pytest.param("parameters", "messages = []", "cannot be set", id="not-allowed"),
        pytest.param("parameters", "model = other", "cannot be set", id="not-the-model"),
        pytest.param("parameters", "temperature = 9", "0 to 2", id="out-of-range"),
        pytest.param("parameters", "top_p = 1\ntop_p = 1", "twice", id="twice"),
        pytest.param("parameters", "[" * 3000, "", id="deep"),
        pytest.param("parameters", 'stop = "\\u0000"', "cannot be kept", id="nul-parameter"),
        pytest.param("parameters", 'stop = "\\ud800"', "cannot be kept", id="half-a-character"),
        pytest.param("parameters", '{"reasoning": {"a": "\\u0000"}}', "kept", id="nested-nul"),
        pytest.param("base_url", "https://example.org/" + "é" * 200, "500", id="long-address"),
        pytest.param("base_url", "https://example.org/v1?api-version=a%20b", "version", id="ver"),
        pytest.param("card", "9" * 40, "your model cards", id="huge-card"),
        pytest.param("price_in", "NaN", "", id="nan-price"),
        pytest.param("in_flight", "0", "", id="none-in-flight"),
        pytest.param("in_flight", "513", "", id="too-many-in-flight"),
        pytest.param("timeout", "601", "", id="too-patient"),
        pytest.param("price_in", "-1", "", id="negative-price"),
        pytest.param("link", "javascript:alert(1)", "web address", id="script-link"),
        pytest.param("name", "", "name", id="no-name"),
        pytest.param("name", "!!!", "letter or digit", id="no-letters"),
        pytest.param("organisation", "", "who made", id="no-organisation"),
    ],
)
def test_a_wrong_input_is_said_in_a_sentence_and_nothing_is_half_created(
    ada: Client, field: str, value: str, says: str
) -> None:
    page = ada.post("/submit/", good_answers(**{field: value}))

    errors = errors_of(page)
    assert page.status_code == 422
    assert list(errors) == [field]
    assert len(errors[field]) == 1
    assert says.lower() in errors[field][0].lower()
    assert not ModelCard.objects.exists()
    assert not Endpoint.objects.exists()
    assert not Run.objects.exists()


def test_the_key_never_comes_back_in_a_form_with_errors(ada: Client) -> None:
    page = ada.post("/submit/", good_answers(base_url="https://10.0.0.4/v1"))

    assert KEY not in page.content.decode()


def test_a_short_key_is_taken_for_a_host_the_operator_lists(
    ada: Client, settings: Settings
) -> None:
    settings.CALLBOARD_ALLOW = frozenset({"127.0.0.1:8001"})

    page = ada.post("/submit/", good_answers(base_url="http://127.0.0.1:8001/v1", key="short"))

    assert page.status_code == 302
    assert Endpoint.objects.get().key_last_four == ""


def test_what_people_paste_after_the_base_url_is_removed(ada: Client) -> None:
    ada.post("/submit/", good_answers(base_url="https://api.example.org/v1/chat/completions"))

    assert Endpoint.objects.get().base_url == "https://api.example.org/v1"


def test_an_address_pasted_whole_brings_its_api_version(ada: Client) -> None:
    pasted = "https://me.example.org/openai/deployments/d/chat/completions?api-version=2024-06-01"

    ada.post("/submit/", good_answers(base_url=pasted))

    endpoint = Endpoint.objects.get()
    assert endpoint.base_url == "https://me.example.org/openai/deployments/d"
    assert endpoint.api_version == "2024-06-01"


def test_an_own_card_is_chosen_and_not_made_twice(ada: Client) -> None:
    card = make.card("Mine", owner=_user("ada"))

    page = ada.post("/submit/", good_answers(card=card.pk, name="", organisation=""))

    assert page.status_code == 302
    assert list(ModelCard.objects.all()) == [card]
    assert Run.objects.get().entry.card == card


def test_nobody_else_s_card_can_be_chosen(ada: Client) -> None:
    card = make.card("Theirs", owner=make.user("bob"))

    page = ada.post("/submit/", good_answers(card=card.pk))

    assert "card" in errors_of(page)
    assert not Run.objects.exists()


def test_underscores_are_a_setting_of_fc_mode_only(ada: Client) -> None:
    ada.post("/submit/", good_answers(mode="prompt"))

    assert Endpoint.objects.get().underscore is False


def test_all_means_what_the_board_can_run_in_the_chosen_mode(ada: Client) -> None:
    Category.objects.filter(name="multiple").update(modes=["fc"])
    Category.objects.filter(name="irrelevance").update(unavailable="It needs a search key.")

    ada.post("/submit/", good_answers(mode="prompt"))

    assert [c.name for c in Run.objects.get().categories.all()] == ["simple_python"]


def test_some_means_the_ticked_categories(ada: Client) -> None:
    ada.post("/submit/", good_answers(which="some", categories=["multiple"]))

    assert [c.name for c in Run.objects.get().categories.all()] == ["multiple"]


@pytest.mark.parametrize(
    ("categories", "says"),
    [
        pytest.param([], "Choose at least one category", id="none"),
        pytest.param(["no_such"], "“no_such” is not a category", id="unknown"),
        pytest.param(["irrelevance"], "is not a category that this board can run", id="gone"),
        pytest.param(["multiple"], "cannot be run in Prompt mode", id="not-in-this-mode"),
    ],
)
def test_categories_that_cannot_be_run_are_refused(
    ada: Client, categories: list[str], says: str
) -> None:
    Category.objects.filter(name="multiple").update(modes=["fc"])
    Category.objects.filter(name="irrelevance").update(unavailable="It needs a search key.")

    page = ada.post("/submit/", good_answers(mode="prompt", which="some", categories=categories))

    assert says in errors_of(page)["categories"][0]
    assert not Run.objects.exists()


def test_the_form_says_why_a_category_cannot_be_run(ada: Client) -> None:
    Category.objects.filter(name="irrelevance").update(unavailable="It needs a search key.")

    page = ada.get("/submit/")

    assert "It needs a search key." in page.content.decode()


def test_parameters_are_taken_as_lines_or_as_json(ada: Client) -> None:
    ada.post("/submit/", good_answers(parameters="temperature = 0.2\nreasoning_effort = high"))
    ada.post("/submit/", good_answers(name="Two", parameters='{"temperature": 0.2}'))

    assert [endpoint.parameters for endpoint in Endpoint.objects.all()] == [
        {"temperature": 0.2, "reasoning_effort": "high"},
        {"temperature": 0.2},
    ]


def test_the_preview_shows_the_address_that_will_be_asked(ada: Client) -> None:
    page = ada.post("/submit/preview/", {"base_url": "https://api.example.org", "mode": "fc"})

    assert "https://api.example.org/v1/chat/completions" in page.content.decode()
    assert not Endpoint.objects.exists()


def test_the_preview_says_what_is_wrong_with_an_address(ada: Client) -> None:
    page = ada.post("/submit/preview/", {"base_url": "https://10.0.0.4/v1", "mode": "fc"})

    assert "not on the public internet" in page.content.decode()


def test_the_preview_never_repeats_a_key_even_if_it_is_sent_one(ada: Client) -> None:
    page = ada.post("/submit/preview/", good_answers())

    assert KEY not in page.content.decode()


def test_an_empty_form_is_shown_with_a_preview_of_its_defaults(ada: Client) -> None:
    page = ada.get("/submit/")

    assert "temperature = 0.001" in page.content.decode()
    assert "Authorization: Bearer ••••" in page.content.decode()


def test_an_endpoint_is_submitted_once_more_without_its_key(ada: Client) -> None:
    ada.post("/submit/", good_answers(parameters="top_p = 0.9"))

    page = ada.get(f"/submit/?like={Run.objects.get().pk}")

    text = page.content.decode()
    assert "https://api.example.org/v1" in text
    assert "top_p = 0.9" in text
    assert KEY not in text


@pytest.mark.parametrize("like", ["999999", "x", "-1", "9" * 40, "%00"])
def test_nonsense_to_start_from_shows_an_empty_form(ada: Client, like: str) -> None:
    page = ada.get(f"/submit/?like={like}&card={like}&benchmark={like}")

    assert page.status_code == 200


def test_nobody_starts_from_somebody_else_s_endpoint(ada: Client) -> None:
    theirs = make.run(make.entry(make.card(owner=make.user("bob"))))

    page = ada.get(f"/submit/?like={theirs.pk}")

    assert "http://127.0.0.1:9/v1" not in page.content.decode()


def test_submitting_needs_an_account(client: Client) -> None:
    make.benchmark()

    page = client.post("/submit/", good_answers())

    assert page.status_code == 302
    assert page["Location"] == "/sign-in/?next=/submit/"
    assert not Run.objects.exists()


def test_the_form_costs_the_same_queries_for_any_number_of_categories(
    ada: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for position in range(3, 30):
        make.category(_benchmark(), f"more_{position}", 1, position)

    with django_assert_num_queries(7):  # session, user, benchmarks, categories ×2, cards, teams
        page = ada.get("/submit/")

    assert page.status_code == 200


def _user(name: str) -> User:
    return User.objects.get(username=name)


def _benchmark() -> Benchmark:
    return make.a_benchmark()


def test_staff_submit_under_a_card_that_a_command_made_and_nobody_else_does(
    client: Client,
) -> None:
    make.benchmark()
    nobodys = make.card("Local model")
    boss, ada = make.user("boss", staff=True), make.user("ada")

    client.force_login(ada)
    refused = client.post("/submit/", good_answers(card=str(nobodys.pk)))
    client.force_login(boss)
    again = client.post("/submit/", good_answers(name="Local model"))
    taken = client.post("/submit/", good_answers(card=str(nobodys.pk)))

    assert refused.status_code == 422
    assert "You already have a model card of that name" in again.content.decode()
    assert taken.status_code == 302
    assert Run.objects.get().entry.card == nobodys


def test_a_benchmark_that_only_has_published_tables_is_not_offered(ada: Client) -> None:
    make.benchmark({"multiple": 3}, slug="bfcl-v3", title="BFCL V3", runnable=[])

    page = ada.get("/submit/")

    assert 'href="?benchmark=bfcl-v3"' not in page.text
