"""Which run an entry shows."""

from __future__ import annotations

import pytest

from evaluation.models import Entry, Run
from evaluation.services import publishing
from evaluation.services.publishing import Candidate, CannotPublish
from tests import make


def candidate(run_id: int, *categories: int) -> Candidate:
    return Candidate(run_id, frozenset(categories))


@pytest.mark.parametrize(
    ("candidates", "shown"),
    [
        pytest.param([], None, id="none"),
        pytest.param([candidate(1, 1, 2)], 1, id="the-only-one"),
        pytest.param([candidate(1, 1, 2), candidate(2, 1, 2)], 2, id="the-newest"),
        pytest.param([candidate(1, 1, 2), candidate(2, 1)], 1, id="a-partial-one"),
        pytest.param([candidate(1, 1), candidate(2, 1, 2)], 2, id="a-more-complete-one"),
        pytest.param([candidate(1, 1), candidate(2, 2)], 1, id="other-categories"),
        pytest.param(
            [candidate(1, 1), candidate(2), candidate(3, 1, 2)], 3, id="after-a-partial-one"
        ),
    ],
)
def test_the_newest_run_that_is_as_complete_is_shown(
    candidates: list[Candidate], shown: int | None
) -> None:
    assert publishing.shown(candidates) == shown


@pytest.mark.django_db
def test_hiding_a_run_brings_back_the_one_before() -> None:
    entry = make.entry()
    older = make.finished_run(entry, 0.9, published=False)
    newer = make.finished_run(entry, 0.3, published=False)
    publishing.publish(older)
    publishing.publish(newer)
    shown_first = Entry.objects.get(pk=entry.pk).shown_run

    publishing.hide(newer)

    assert shown_first == newer
    assert Entry.objects.get(pk=entry.pk).shown_run == older


@pytest.mark.django_db
@pytest.mark.parametrize("state", ["queued", "running", "paused", "failed", "cancelled"])
def test_a_run_without_results_cannot_be_published(state: str) -> None:
    run = make.run(state=state)

    with pytest.raises(CannotPublish, match="results"):
        publishing.publish(run)


@pytest.mark.django_db
def test_a_run_over_chosen_cases_cannot_be_published() -> None:
    run = make.finished_run(published=False, counts=False)

    with pytest.raises(CannotPublish, match="only some cases"):
        publishing.publish(run)


@pytest.mark.django_db
def test_publishing_twice_changes_nothing() -> None:
    run = make.finished_run(published=False)
    publishing.publish(run)
    first = run.published_at

    publishing.publish(run)

    assert run.published_at == first
    assert Run.objects.get(pk=run.pk).events.filter(reason="Published.").count() == 1


@pytest.mark.django_db
def test_the_content_version_changes_with_what_the_public_sees() -> None:
    run = make.finished_run(published=False)
    before = publishing.content_version()

    publishing.publish(run)
    published = publishing.content_version()
    publishing.hide(run)

    assert len({before, published, publishing.content_version()}) == 3


@pytest.mark.django_db
def test_a_new_name_on_a_card_changes_the_content_version() -> None:
    run = make.finished_run()
    before = publishing.content_version()

    run.entry.card.name = "A better name"
    run.entry.card.save()

    assert publishing.content_version() != before
