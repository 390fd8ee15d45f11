"""Web search end to end: a model that searches, a stand-in for the search service, records."""

from __future__ import annotations

import json

import pytest
from pytest_django import Settings

from evaluation.models import WebRecord
from evaluation.runner.process import WorkerProcess
from evaluation.services import scheduling
from tests import make
from tests.evaluation.runs import outcomes, scheduled, work_through
from tests.fakes import FakeEndpoint, Request, Scripted, completion

ONE = {"web_search_base": 1}
RESULTS = Scripted(
    body=json.dumps(
        {"organic_results": [{"title": "T", "link": "https://t.example", "snippet": "found"}]}
    ).encode()
)


def searches_then_answers(request: Request) -> Scripted:
    """A model that searches once and then gives the accepted answer of the first case."""
    if request.json["messages"][-1]["role"] == "tool":
        return completion("{'answer': 'Zhang Yiming', 'context': 'found'}")
    return completion(calls={"search_engine_query": '{"keywords": "tea"}'})


@pytest.fixture
def search_key(settings: Settings) -> str:
    settings.CALLBOARD_SERPAPI_KEY = "serp-key-0123456789"
    return "serp-key-0123456789"


def test_what_was_found_reaches_the_model_and_is_recorded(
    worker: WorkerProcess, settings: Settings, search_key: str
) -> None:
    with FakeEndpoint(RESULTS) as web, FakeEndpoint(script=searches_then_answers) as model:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        run = work_through(scheduled(model.base_url, ONE), worker, model)

    told = model.requests[-1].json["messages"][-1]["content"]
    assert told == "[{'title': 'T', 'href': 'https://t.example', 'body': 'found'}]"
    assert outcomes(run) == {"web_search_base_0": "correct"}
    assert search_key not in str(WebRecord.objects.values_list("url", "trouble"))
    assert json.loads(run.configuration)["options"] == {"web": "replay"}


@pytest.mark.parametrize(("mode", "searches"), [("replay", 1), ("live", 2)])
def test_a_second_run_sees_the_recorded_web_unless_it_is_live(
    worker: WorkerProcess, settings: Settings, search_key: str, mode: str, searches: int
) -> None:
    settings.CALLBOARD_WEB = mode
    with FakeEndpoint(RESULTS) as web, FakeEndpoint(script=searches_then_answers) as model:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        first = scheduled(model.base_url, ONE)
        work_through(first, worker, model)
        second = scheduling.schedule(
            make.endpoint(base_url=model.base_url), benchmark=first.entry.benchmark
        )
        work_through(second, worker, model)

    assert outcomes(second) == {"web_search_base_0": "correct"}
    assert (len(web.requests), WebRecord.objects.count()) == (searches, 1)


def test_a_search_service_that_refuses_the_key_leaves_the_case_unscored(
    worker: WorkerProcess, settings: Settings, search_key: str
) -> None:
    with FakeEndpoint(Scripted(401)) as web, FakeEndpoint(script=searches_then_answers) as model:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        run = work_through(scheduled(model.base_url, ONE), worker, model)

    assert outcomes(run) == {"web_search_base_0": "unscored"}
