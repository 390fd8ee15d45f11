"""Memory scenarios end to end: conversations fill a memory, questions start from it."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace

import pytest

from evaluation.benchmarks.bfcl_v4 import vectors
from evaluation.engine.types import CaseData
from evaluation.models import Benchmark, Case, Mode, Reply, Run, Slice, Verdict, WorldSnapshot
from evaluation.runner.process import WorkerProcess
from evaluation.services import scheduling
from evaluation.services.benchmarks import as_rows
from tests import make
from tests.evaluation.runs import outcomes, work_through
from tests.fakes import FakeEndpoint, Request, Scripted, completion, error
from tests.suites import real_suite

CATEGORY = "memory_rec_sum"


def scenario(category: str = CATEGORY, conversations: int = 2, questions: int = 2) -> Benchmark:
    """A benchmark of one scenario's first conversations, a turn each, and first questions."""
    suite = real_suite()
    chain = suite.chains(category)[0]
    made = make.benchmark({category: 0}, digest=suite.source().digest)
    row = made.categories.get()
    cases = [case for case in suite.cases(category) if case.id in chain.dependents[:questions]]
    before = [_of_one_turn(case) for case in chain.prerequisites[:conversations]]
    for prepares, found in ((False, cases), (True, before)):
        rows = list(as_rows(row, found, first=1000 * prepares))
        for one in rows:
            one.chain, one.is_prerequisite = chain.name, prepares
        Case.objects.bulk_create(rows)
    row.n = questions
    row.save(update_fields=["n"])
    return made


def _of_one_turn(case: CaseData) -> CaseData:
    return replace(case, question={**case.question, "question": case.question["question"][:1]})


def remembers(request: Request) -> Scripted:
    """A model that appends a word to its memory once, and then says that it is Michael's."""
    messages = request.json["messages"]
    if messages[-1]["role"] == "tool":
        return completion("{'answer': 'Michael', 'context': 'remembered'}")
    return completion(calls={"memory_append": '{"text": "word "}'})


@pytest.fixture
def benchmark(transactional_db: None) -> Benchmark:
    return scenario()


def test_questions_start_from_what_the_conversations_stored_and_not_from_each_other(
    benchmark: Benchmark, worker: WorkerProcess
) -> None:
    with FakeEndpoint(script=remembers) as model:
        run = scheduling.schedule(make.endpoint(base_url=model.base_url), benchmark=benchmark)
        work_through(run, worker, model)

    shown = [
        request.json["messages"][0]["content"].partition("previous interactions:\n")[2]
        for request in model.requests
        if len(request.json["messages"]) == 2
    ]
    assert [text.split("\n")[0] for text in shown] == [
        "There is no content in the memory at this point.",
        "word ",
        "word word ",
        "word word ",
    ]
    assert outcomes(run) == {"memory_rec_sum_0-customer-0": "correct",
                             "memory_rec_sum_1-customer-1": "wrong"}  # fmt: skip


def test_each_conversations_memory_is_kept_with_the_run(
    benchmark: Benchmark, worker: WorkerProcess
) -> None:
    with FakeEndpoint(script=remembers) as model:
        run = scheduling.schedule(
            make.endpoint(base_url=model.base_url, mode=Mode.FC), benchmark=benchmark
        )
        work_through(run, worker, model)

    kept = [
        json.loads(zlib.decompress(bytes(snapshot.body)))
        for snapshot in WorldSnapshot.objects.filter(run=run).order_by("case__position")
    ]
    assert kept == [{"memory": "word "}, {"memory": "word word "}]


@pytest.mark.parametrize("was_kept", [True, False])
def test_a_scenario_that_goes_on_repeats_no_conversation(
    benchmark: Benchmark, worker: WorkerProcess, was_kept: bool
) -> None:
    """The worker was killed in the questions, or before the last memory was kept."""
    with FakeEndpoint(script=remembers) as model:
        run = scheduling.schedule(make.endpoint(base_url=model.base_url), benchmark=benchmark)
        work_through(run, worker, model)
        first_outcomes, first_requests = outcomes(run), len(model.requests)
        of_questions, _ = Reply.objects.filter(run=run, case__is_prerequisite=False).delete()
        if not was_kept:
            WorldSnapshot.objects.filter(run=run).latest("case__position").delete()
        Verdict.objects.all().delete()
        Slice.objects.update(state=Slice.State.WAITING)
        Run.objects.update(state=Run.State.RUNNING, finished_at=None)

        work_through(run, worker, model)

    assert len(model.requests) - first_requests == of_questions
    assert outcomes(run) == first_outcomes
    assert WorldSnapshot.objects.filter(run=run).count() == 2


NOTES = ("The customer is called Michael.", "The parcel weighs two kilograms.")


def notes_and_looks_up(request: Request) -> Scripted:
    """A model that notes a sentence in each conversation, and looks one up for each question."""
    messages = request.json["messages"]
    if messages[-1]["role"] == "tool":
        return completion(f"{{'answer': '{messages[-1]['content']}', 'context': 'looked up'}}")
    if "'answer'" in messages[0]["content"]:  # how questions are to be answered
        query = json.dumps({"query": "What is my name?", "top_k": 1})
        return completion(calls={"core_memory_retrieve": query})
    said = NOTES[NOTES[0] in messages[0]["content"]]
    return completion(calls={"core_memory_add": json.dumps({"text": said})})


@pytest.mark.skipif(bool(vectors.unavailable()), reason=vectors.unavailable() or "it is here")
def test_a_vector_memory_is_kept_between_conversations_and_finds_what_is_alike(
    transactional_db: None, worker: WorkerProcess
) -> None:
    benchmark = scenario("memory_vector")
    with FakeEndpoint(script=notes_and_looks_up) as model:
        run = scheduling.schedule(make.endpoint(base_url=model.base_url), benchmark=benchmark)
        work_through(run, worker, model)

    kept = [
        json.loads(zlib.decompress(bytes(snapshot.body)))
        for snapshot in WorldSnapshot.objects.filter(run=run).order_by("case__position")
    ]
    assert [list(one["core_memory"]["store"].values()) for one in kept] == [
        [NOTES[0]],
        list(NOTES),
    ]
    assert set(kept[1]["embeddings"]) == set(NOTES)
    assert outcomes(run) == {
        "memory_vector_0-customer-0": "correct",
        "memory_vector_1-customer-1": "wrong",
    }


def test_a_conversation_that_could_not_be_had_leaves_its_questions_unscored(
    benchmark: Benchmark, worker: WorkerProcess
) -> None:
    with FakeEndpoint(error(422)) as model:
        run = scheduling.schedule(make.endpoint(base_url=model.base_url), benchmark=benchmark)
        work_through(run, worker, model)

    assert set(outcomes(run).values()) == {"unscored"}
