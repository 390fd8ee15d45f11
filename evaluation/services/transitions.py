"""What people may do to a run. Each may be called twice; the return value says who did it."""

from __future__ import annotations

import json
from functools import partial

from django.db import transaction
from django.db.models import Max

from evaluation import tasks
from evaluation.models import Case, Run, Scoring, Slice, Verdict
from evaluation.runner import scores, transitions
from evaluation.runner.transitions import cancel, fail, finish, pause
from evaluation.services.scheduling import TEXTS, cut

__all__ = ["ask_again", "cancel", "fail", "finish", "pause", "resume"]


@transaction.atomic
def resume(run: Run, reason: str = "Resumed by its owner.") -> bool:
    """Put a paused run back into the queue."""
    moved = transitions.resume(run, reason)
    if moved and not run.is_local:
        transaction.on_commit(partial(tasks.hint_run, run.pk))
    return moved


@transaction.atomic
def ask_again(run: Run, reason: str = "Its missing cases are asked again.") -> bool:
    """Ask again what is unscored or was not asked, and nothing else.

    Possible while an incomplete run is not published: a published figure does not move.
    """
    row = Run.objects.select_for_update().get(pk=run.pk)
    if row.published_at is not None or not transitions.reopen(run, reason):
        return False
    scoring = Scoring.objects.get(run=run, is_current=True)
    # The replies stay: what was tried before is no secret, and attempt numbers go on.
    scoring.verdicts.filter(outcome=Verdict.Outcome.UNSCORED).delete()
    scores.refresh_scores(scoring.pk)
    # Judgings beside this one lack what is asked now; they are made anew afterwards.
    run.scorings.exclude(is_current=True).exclude(profile=scoring.profile).delete()
    slices = Slice.objects.filter(run=run)
    asked = {pk for cases in slices.values_list("cases", flat=True) for pk in cases}
    left = asked - set(scoring.verdicts.values_list("case_id", flat=True))
    rows = Case.objects.filter(pk__in=left, is_prerequisite=False).defer(*TEXTS)
    rows = rows.order_by("category__position", "position")
    last = slices.aggregate(last=Max("number"))["last"] or 0
    slices.exclude(state=Slice.State.DONE).delete()
    in_flight = json.loads(run.configuration)["in_flight"]
    cut(run, list(rows), in_flight, first=last + 1)
    if not run.is_local:
        transaction.on_commit(partial(tasks.hint_run, run.pk))
    return True
