"""Spot checks: cases by lot, asked again; agreement is published, enough of it is a badge."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluation.models import Case, Entry, Run, Scoring, Verdict
from evaluation.runner import transitions
from submissions.models import SpotCheck
from submissions.services import follow_runs
from tests import make
from tests.submissions.answers import good_answers

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    make.benchmark({"simple_python": 100, "multiple": 60})
    return make.user("ada")


def uploaded(owner: User, accuracy: float = 0.5) -> Run:
    entry = make.entry(make.card("Uploaded", owner=owner), evidence="uploaded")
    return make.finished_run(entry, accuracy, endpoint=None)


def ask(client: Client, upload: Run, **changes: object) -> Any:
    return client.post(f"/runs/{upload.pk}/spot-check/", good_answers(**changes))


def judge(check: SpotCheck, *, differing: int = 0, unscored: int = 0) -> None:
    """Verdicts as the upload's, but for some; and the end of the run that asked."""
    theirs = dict(
        Verdict.objects.filter(scoring__run=check.upload).values_list("case_id", "outcome")
    )
    scoring = Scoring.objects.get(run=check.asked)
    cases = [pk for one in check.asked.slices.all() for pk in one.cases]
    for number, pk in enumerate(cases):
        outcome = theirs[pk]
        if number < differing:
            outcome = "wrong" if outcome == "correct" else "correct"
        elif number >= len(cases) - unscored:
            outcome = "unscored"
        Verdict.objects.create(scoring=scoring, case_id=pk, outcome=outcome)
    transitions.start(check.asked)
    transitions.finish(check.asked)
    follow_runs()


@pytest.fixture
def check(client: Client, ada: User) -> SpotCheck:
    client.force_login(ada)
    ask(client, uploaded(ada))
    return SpotCheck.objects.get()


def test_cases_are_drawn_by_lot_and_never_count_on_the_board(check: SpotCheck) -> None:
    drawn = [pk for one in check.asked.slices.all() for pk in one.cases]

    in_order = list(Case.objects.order_by("pk").values_list("pk", flat=True)[:120])
    assert len(set(drawn)) == 120
    assert sorted(drawn) != in_order
    assert not check.asked.counts


def test_agreement_makes_an_entry_spot_checked_and_is_published(
    client: Client, check: SpotCheck
) -> None:
    judge(check, differing=7)

    check.refresh_from_db()
    check.upload.refresh_from_db()
    page = Client().get(f"/runs/{check.upload_id}/").content.decode()
    assert (check.compared, check.agreed) == (120, 113)
    assert check.upload.entry.evidence == "spot_checked"
    assert Entry.objects.get(evidence="spot_checked").shown_run == check.upload
    assert Entry.objects.get(evidence="uploaded").shown_run is None
    assert "113 of 120 cases, drawn by lot" in page


def test_too_little_agreement_is_published_and_no_badge(check: SpotCheck) -> None:
    judge(check, differing=20)

    check.upload.refresh_from_db()
    page = Client().get(f"/runs/{check.upload_id}/").content.decode()
    assert check.upload.entry.evidence == "uploaded"
    assert "100 of 120 cases" in page


def test_fewer_than_100_compared_cases_prove_nothing(check: SpotCheck) -> None:
    judge(check, unscored=21)

    check.refresh_from_db()
    check.upload.refresh_from_db()
    assert check.compared == 99
    assert check.upload.entry.evidence == "uploaded"


def test_one_check_of_an_upload_is_under_way_at_a_time(client: Client, check: SpotCheck) -> None:
    answer = ask(client, check.upload)

    assert f"Run {check.asked_id} is a spot check of it" in answer.content.decode()
    assert SpotCheck.objects.count() == 1


def test_who_draws_again_cannot_choose_the_better_check(client: Client, check: SpotCheck) -> None:
    judge(check, differing=20)
    ask(client, check.upload)
    judge(SpotCheck.objects.latest("pk"), differing=10)  # 91.7 %, but 87.5 % of both

    check.upload.refresh_from_db()
    assert check.upload.entry.evidence == "uploaded"


def test_a_later_check_can_take_the_badge_away(client: Client, check: SpotCheck) -> None:
    judge(check)
    ask(client, check.upload)
    judge(SpotCheck.objects.latest("pk"), differing=60)

    check.upload.refresh_from_db()
    assert check.upload.entry.evidence == "uploaded"
    assert Entry.objects.get(evidence="spot_checked").shown_run is None
    assert Entry.objects.get(evidence="uploaded").shown_run == check.upload


def test_a_check_that_was_cancelled_counts_as_far_as_it_came(check: SpotCheck) -> None:
    scoring = Scoring.objects.get(run=check.asked)
    first = check.asked.slices.all()[0].cases[:30]
    for pk in first:
        Verdict.objects.create(scoring=scoring, case_id=pk, outcome="wrong")

    transitions.cancel(check.asked)
    follow_runs()

    check.refresh_from_db()
    assert check.compared == 30


def test_a_check_that_compared_nothing_is_no_news_on_the_page(check: SpotCheck) -> None:
    transitions.cancel(check.asked)
    follow_runs()

    assert "drawn by lot" not in Client().get(f"/runs/{check.upload_id}/").content.decode()


def test_a_small_upload_cannot_be_checked_and_says_why(client: Client) -> None:
    make.benchmark({"simple_python": 30})
    ada = make.user("ada")
    client.force_login(ada)

    page = ask(client, uploaded(ada))

    assert page.status_code == 422
    assert "needs 100 cases" in page.content.decode()
    assert not SpotCheck.objects.exists()


def test_the_endpoint_is_checked_as_any_other(client: Client, ada: User) -> None:
    client.force_login(ada)

    page = ask(client, uploaded(ada), base_url="https://10.0.0.4/v1")

    assert page.status_code == 422
    assert not SpotCheck.objects.exists()


def test_only_its_own_people_check_an_upload(client: Client, ada: User) -> None:
    upload = uploaded(ada)
    client.force_login(make.user())

    assert ask(client, upload).status_code == 404
