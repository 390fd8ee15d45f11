"""Counts from verdicts: a run's category scores and counters, exact whenever recomputed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db import connection
from django.db.models import Count, Q

from evaluation.models import CategoryScore, Reply, Run, Scoring

# n is fixed when the run is scheduled; everything else follows from the verdicts there are.
_REFRESH = """
UPDATE evaluation_categoryscore AS score
SET correct = tally.correct, wrong = tally.wrong, unscored = tally.unscored,
    accuracy = CASE WHEN tally.correct + tally.wrong > 0 AND score.n > 0
                    THEN tally.correct::double precision / score.n END
FROM (
    SELECT counted.id,
           count(*) FILTER (WHERE verdict.outcome = 'correct') AS correct,
           count(*) FILTER (WHERE verdict.outcome = 'wrong') AS wrong,
           count(*) FILTER (WHERE verdict.outcome = 'unscored') AS unscored
    FROM evaluation_categoryscore AS counted
    LEFT JOIN evaluation_case AS one ON one.category_id = counted.category_id
    LEFT JOIN evaluation_verdict AS verdict
           ON verdict.case_id = one.id AND verdict.scoring_id = counted.scoring_id
    WHERE counted.scoring_id = %(scoring)s
    GROUP BY counted.id
) AS tally
WHERE score.id = tally.id
"""


@dataclass(frozen=True, slots=True)
class Totals:
    n: int
    correct: int
    wrong: int
    unscored: int

    @property
    def not_run(self) -> int:
        return self.n - self.correct - self.wrong - self.unscored


def refresh_scores(scoring_id: int) -> None:
    """Recompute every category score of a scoring from its verdicts, in one statement."""
    with connection.cursor() as cursor:
        cursor.execute(_REFRESH, {"scoring": scoring_id})


def refresh_counters(run_id: int) -> None:
    """Recompute what a run's page says of its requests from the replies stored."""
    replies = Reply.objects.filter(run=run_id)
    counts = replies.aggregate(
        requests_sent=Count("pk"),
        accepted_replies=Count("pk", filter=Q(accepted=True)),
        retries=Count("pk", filter=Q(attempt__gt=1)),
    )
    deviations: Counter[str] = Counter()
    marked = replies.filter(accepted=True).exclude(deviations=[])
    for names in marked.values_list("deviations", flat=True):
        deviations.update(names)
    Run.objects.filter(pk=run_id).update(deviations=dict(deviations), **counts)


def totals(scoring: Scoring) -> Totals:
    counts = CategoryScore.objects.filter(scoring=scoring).values_list(
        "n", "correct", "wrong", "unscored"
    )
    columns = [sum(value or 0 for value in column) for column in zip(*counts, strict=True)]
    return Totals(*columns) if columns else Totals(0, 0, 0, 0)
