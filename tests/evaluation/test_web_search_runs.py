"""Web search end to end: a model that searches, a stand-in for the search service, records."""

from __future__ import annotations

import json

import pytest
from pytest_django import Settings

from evaluation.models import Reply, Run, Slice, Verdict, WebRecord
from evaluation.runner.process import WorkerProcess
from evaluation.services import scheduling
from tests import make
from tests.evaluation.runs import outcomes, scheduled, work_through
from tests.fakes import FakeEndpoint, Request, Scripted, completion

ONE = {"web_search_base": 1}
# What the search service documents for this engine, cut to one result.
DOCUMENT = {
    "search_metadata": {
        "id": "6540ac26b68f8b2910019dd5",
        "status": "Success",
        "json_endpoint": "https://serpapi.com/searches/d46c/6540ac26.json",
        "duckduckgo_url": "https://duckduckgo.com/?q=tea&kl=wt-wt",
        "total_time_taken": 1.05,
    },
    "search_parameters": {"engine": "duckduckgo", "q": "tea", "kl": "wt-wt"},
    "search_information": {"organic_results_state": "Results for exact spelling"},
    "organic_results": [
        {
            "position": 1,
            "title": "T",
            "link": "https://t.example",
            "snippet": "found",
            "favicon": "https://t.example/favicon.ico",
        }
    ],
    "serpapi_pagination": {"next": "https://serpapi.com/search.json?start=27"},
}
RESULTS = Scripted(body=json.dumps(DOCUMENT).encode())


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


def interrupted_after_the_search(run: Run) -> None:
    """As a worker leaves a run that is killed once the web has been seen and told."""
    Verdict.objects.all().delete()
    Reply.objects.filter(run=run, step=1).delete()
    Slice.objects.update(state=Slice.State.WAITING)
    Run.objects.update(state=Run.State.RUNNING, finished_at=None)


@pytest.mark.parametrize("mode", ["replay", "live"])
def test_a_run_that_goes_on_sees_its_own_web_again(
    worker: WorkerProcess, settings: Settings, search_key: str, mode: str
) -> None:
    settings.CALLBOARD_WEB = mode
    with FakeEndpoint(RESULTS) as web, FakeEndpoint(script=searches_then_answers) as model:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        run = work_through(scheduled(model.base_url, ONE), worker, model)
        interrupted_after_the_search(run)
        work_through(run, worker, model)

    assert len(web.requests) == 1
    assert model.requests[-1].body == model.requests[-2].body
    assert outcomes(run) == {"web_search_base_0": "correct"}


def test_what_nobody_has_looked_up_yet_is_looked_up_and_kept(
    worker: WorkerProcess, settings: Settings, search_key: str
) -> None:
    def searches_for_coffee(request: Request) -> Scripted:
        if request.json["messages"][-1]["role"] == "tool":
            return completion("I do not know.")
        return completion(calls={"search_engine_query": '{"keywords": "coffee"}'})

    with FakeEndpoint(RESULTS) as web:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        with FakeEndpoint(script=searches_then_answers) as model:
            first = scheduled(model.base_url, ONE)
            work_through(first, worker, model)
        with FakeEndpoint(script=searches_for_coffee) as other:
            second = scheduling.schedule(
                make.endpoint(base_url=other.base_url), benchmark=first.entry.benchmark
            )
            work_through(second, worker, other)

    asked = [request.path.partition("q=")[2].partition("&")[0] for request in web.requests]
    assert asked == ["tea", "coffee"]
    assert WebRecord.objects.count() == 2


def test_a_search_service_that_refuses_the_key_leaves_the_case_unscored(
    worker: WorkerProcess, settings: Settings, search_key: str
) -> None:
    with FakeEndpoint(Scripted(401)) as web, FakeEndpoint(script=searches_then_answers) as model:
        settings.CALLBOARD_SERPAPI_URL = f"http://{web.host}/search"
        run = work_through(scheduled(model.base_url, ONE), worker, model)

    assert outcomes(run) == {"web_search_base_0": "unscored"}
