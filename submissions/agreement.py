"""What spot checks come to: how many of their cases have the verdict that the upload has.

An upload's evidence rests on all of its checks together, also those that were cut short: whoever
draws again adds to what is known, and cannot choose what is remembered of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q, Sum

from evaluation.models import Entry, Evidence, Run, RunEvent, Verdict
from evaluation.services import publishing
from submissions.models import SpotCheck

LEAST = 100  # cases with a verdict on both sides
AGREEING = 0.9  # share of them from which an entry is called spot-checked
SCORED = (Verdict.Outcome.CORRECT, Verdict.Outcome.WRONG)


def settle(events: Sequence[RunEvent]) -> None:
    """Compare what has been asked again, in the transaction that marks these events as handled."""
    ended = [event.run_id for event in events if event.to_state not in Run.ACTIVE]
    related = ("upload__entry__card", "upload__entry__benchmark")
    for check in SpotCheck.objects.filter(asked__in=ended).select_related(*related):
        compare(check)


def compare(check: SpotCheck) -> None:
    """Write down the agreement, and let the upload's evidence follow from all of its checks."""
    asked, uploaded = (verdicts(run) for run in (check.asked_id, check.upload_id))
    shared = asked.keys() & uploaded.keys()
    check.compared = len(shared)
    check.agreed = sum(asked[case] == uploaded[case] for case in shared)
    check.save(update_fields=["compared", "agreed"])
    evidence = Evidence.SPOT_CHECKED if is_enough(check.upload_id) else Evidence.UPLOADED
    if evidence != check.upload.entry.evidence:
        _move(check.upload, evidence)
    elif check.upload.published_at is not None:
        publishing.announce()


def is_enough(upload_id: int) -> bool:
    """Whether all checks of an upload, taken together, make it a spot-checked one."""
    checks = SpotCheck.objects.filter(upload=upload_id)
    found = checks.aggregate(compared=Sum("compared", default=0), agreed=Sum("agreed", default=0))
    return bool(found["compared"] >= LEAST and found["agreed"] >= AGREEING * found["compared"])


def verdicts(run_id: int) -> dict[int, str]:
    """Outcome by case, of what was right or wrong in a run's current scoring."""
    rows = Verdict.objects.filter(
        Q(outcome__in=SCORED), scoring__run=run_id, scoring__is_current=True
    )
    return dict(rows.values_list("case_id", "outcome"))


def _move(upload: Run, evidence: str) -> None:
    before = upload.entry
    entry, _ = Entry.objects.get_or_create(
        card=before.card,
        benchmark=before.benchmark,
        mode=before.mode,
        evidence=evidence,
    )
    upload.entry = entry
    upload.save(update_fields=["entry"])
    publishing.refold(before.pk)
    publishing.refold(entry.pk)
