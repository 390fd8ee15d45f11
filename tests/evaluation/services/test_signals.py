"""Signs of made-up files: copied answers, copied runs, times and tokens nothing could have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from evaluation.models import Case, Evidence, ModelCard, Run
from evaluation.services.signals import signals
from tests import make
from tests.fakes import completion

pytestmark = pytest.mark.django_db
GOLD = [{"weather": '{"city": "Bern"}'}]


@pytest.fixture(autouse=True)
def benchmark() -> None:
    make.benchmark({"simple_python": 40})


def upload(
    answer: Callable[[Case], Any], card: ModelCard | None = None, **claims: Callable[[int], Any]
) -> Run:
    entry = make.entry(card, make.a_benchmark(), evidence=Evidence.UPLOADED)
    run = make.finished_run(entry, endpoint=None)
    for number, case in enumerate(Case.objects.order_by("pk")):
        said = {name: claim(number) for name, claim in claims.items()}
        make.reply(run, case, json.dumps(answer(case)).encode(), **said)
    return run


def striking(run: Run) -> list[str]:
    return [one.sentence for one in signals(run) if one.is_striking]


def own(case: Case) -> Any:
    return [{"weather": json.dumps({"city": f"Bern {case.pk}"})}]


def another_s(number: int) -> Callable[[Case], Any]:
    """Answers that only this model gives."""
    return lambda case: [{"weather": json.dumps({"city": f"{number}-{case.pk}"})}]


def honest(number: int) -> float:
    return 0.5 + number / 100


def test_an_upload_of_a_model_s_own_answers_is_nothing_unusual() -> None:
    run = upload(own, latency=honest, tokens_out=lambda number: 20 + number)

    assert striking(run) == []


def test_copied_answers_are_told_with_their_share() -> None:
    run = upload(lambda case: GOLD, latency=honest)

    assert striking(run)[0].startswith("40 of 40 answers looked at (100%) are the accepted ones")


def test_another_run_s_outputs_are_recognised() -> None:
    first = upload(own, latency=honest)
    second = upload(own, latency=honest)

    (said,) = striking(second)

    assert f"40 of 40 answers that are not the accepted ones are those of run {first.pk}" in said


def asked(answer: Callable[[Case], Any], card: ModelCard | None = None) -> Run:
    """A run that an endpoint has answered with these calls."""
    run = make.finished_run(make.entry(card, make.a_benchmark()))
    for case in Case.objects.order_by("pk"):
        calls = {name: text for call in answer(case) for name, text in call.items()}
        make.reply(run, case, completion(calls=calls).body)
    return run


def test_outputs_of_a_run_that_was_asked_are_recognised_in_an_upload() -> None:
    first = asked(own)
    second = upload(own, latency=honest)

    (said,) = striking(second)

    assert f"40 of 40 answers that are not the accepted ones are those of run {first.pk}" in said


def test_an_older_run_s_outputs_are_recognised_among_many() -> None:
    first = asked(own)
    for number in range(20):
        asked(another_s(number))
    second = upload(own, latency=honest)

    assert [f"run {first.pk} " in said for said in striking(second)] == [True]


def test_an_asked_run_s_own_model_may_be_uploaded_as_well() -> None:
    card = make.card("Example 7B")
    asked(own, card)

    assert striking(upload(own, card, latency=honest)) == []


@pytest.mark.parametrize(
    ("latency", "tokens", "said"),
    [
        (lambda number: 0.0, lambda number: 9 + number, "40 of 40 answers came in no time"),
        (honest, lambda number: 100_000 + number, "faster than 2000 tokens"),
        (lambda number: 0.5, lambda number: 9 + number, "the same latency: 0.5"),
        (honest, lambda number: 7, "the same number of tokens: 7"),
        (honest, lambda number: 0, "no token at all"),
    ],
)
def test_impossible_times_and_tokens_are_told(latency: Any, tokens: Any, said: str) -> None:
    run = upload(own, latency=latency, tokens_out=tokens)

    assert any(said in sentence for sentence in striking(run))


def test_a_moderator_sees_them(client: Any) -> None:
    run = upload(lambda case: GOLD)
    client.force_login(make.user(staff=True))

    page = client.get(f"/moderation/runs/{run.pk}/").content.decode()

    assert "are the accepted ones to the letter" in page
