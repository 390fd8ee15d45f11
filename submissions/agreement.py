"""What a spot check comes to: how many of its cases have the verdict that the upload has."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q

from evaluation.models import Entry, Evidence, Run, RunEvent, Verdict
from evaluation.services import publishing
from submissions.models import SpotCheck

LEAST = 100  # cases with a verdict on both sides
AGREEING = 0.9  # share of them from which an entry is called spot-checked
ENDED = (Run.State.FINISHED, Run.State.INCOMPLETE)
SCORED = (Verdict.Outcome.CORRECT, Verdict.Outcome.WRONG)


def settle(events: Sequence[RunEvent]) -> None:
    """Compare what has been asked again, in the transaction that marks these events as handled."""
    ended = [event.run_id for event in events if event.to_state in ENDED]
    related = ("upload__entry__card", "upload__entry__benchmark")
    for check in SpotCheck.objects.filter(asked__in=ended).select_related(*related):
        compare(check)


def compare(check: SpotCheck) -> None:
    """Write down the agreement; enough of it makes the upload's entry a spot-checked one."""
    asked, uploaded = (verdicts(run) for run in (check.asked_id, check.upload_id))
    shared = asked.keys() & uploaded.keys()
    check.compared = len(shared)
    check.agreed = sum(asked[case] == uploaded[case] for case in shared)
    check.save(update_fields=["compared", "agreed"])
    if is_enough(check) and check.upload.entry.evidence == Evidence.UPLOADED:
        _raise_evidence(check.upload)
    elif check.upload.published_at is not None:
        publishing.announce()


def is_enough(check: SpotCheck) -> bool:
    compared, agreed = check.compared or 0, check.agreed or 0
    return compared >= LEAST and agreed >= AGREEING * compared


def verdicts(run_id: int) -> dict[int, str]:
    """Outcome by case, of what was right or wrong in a run's current scoring."""
    rows = Verdict.objects.filter(
        Q(outcome__in=SCORED), scoring__run=run_id, scoring__is_current=True
    )
    return dict(rows.values_list("case_id", "outcome"))


def _raise_evidence(upload: Run) -> None:
    before = upload.entry
    entry, _ = Entry.objects.get_or_create(
        card=before.card,
        benchmark=before.benchmark,
        mode=before.mode,
        evidence=Evidence.SPOT_CHECKED,
    )
    upload.entry = entry
    upload.save(update_fields=["entry"])
    publishing.refold(before.pk)
    publishing.refold(entry.pk)
