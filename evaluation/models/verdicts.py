"""What a run's replies are worth: scorings, verdicts, category scores."""

from __future__ import annotations

from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from evaluation.models.benchmarks import Benchmark, Case, Category
from evaluation.models.cards import Entry
from evaluation.models.runs import Run


class Scoring(models.Model):
    """One judging of a run's replies: by a scorer version, answers version and profile.

    A run has one current scoring; older ones stay citable under their own address.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="scorings")
    scorer_version = models.CharField(max_length=60)
    answers_version = models.PositiveIntegerField(default=1)
    profile = models.CharField(max_length=30, default="default")
    is_current = models.BooleanField(default=True)
    # While stored replies are judged: how many verdicts there will be. Null: whole, or growing
    # with its run as answers come in.
    due = models.PositiveIntegerField(null=True, blank=True)
    hinted_at = models.DateTimeField(null=True, blank=True)  # last progress, or hint at its work
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("hinted_at",), condition=Q(due__isnull=False), name="scoring_under_way"
            ),
        )
        constraints = (
            UniqueConstraint(
                fields=("run", "scorer_version", "answers_version", "profile"),
                name="a_run_is_scored_once_per_scorer_answers_and_profile",
            ),
            UniqueConstraint(
                fields=("run",),
                condition=Q(is_current=True),
                name="one_scoring_of_a_run_is_current",
            ),
        )

    def __str__(self) -> str:
        return f"scoring {self.pk} of run {self.run_id}"


class Verdict(models.Model):
    """What became of one case. No row: not run."""

    class Outcome(models.TextChoices):
        CORRECT = "correct", "Correct"
        WRONG = "wrong", "Wrong"
        UNSCORED = "unscored", "Unscored"  # endpoint trouble: neither right nor wrong
        EXCLUDED = "excluded", "Excluded"  # an erratum takes it out of n, whatever was answered

    scoring = models.ForeignKey(Scoring, on_delete=models.CASCADE, related_name="verdicts")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="verdicts")
    outcome = models.CharField(max_length=8, choices=Outcome)
    error_type = models.CharField(max_length=80, blank=True)  # the official string; "" if none
    fault = models.CharField(max_length=24, blank=True)  # engine.types.Fault; "" unless wrong
    where = models.CharField(max_length=200, blank=True)  # a function or parameter name
    message = models.TextField(blank=True)  # the fault, or the trouble, in words
    attempts = models.PositiveSmallIntegerField(default=0)  # requests sent for this case
    # A figure in [0, 1] for an answer that is neither right nor wrong; its case is out of n.
    measure = models.FloatField(null=True, blank=True)

    class Meta:
        ordering = ("scoring", "case")
        indexes = (models.Index(fields=("scoring", "outcome", "case"), name="verdict_by_outcome"),)
        constraints = (
            UniqueConstraint(fields=("scoring", "case"), name="a_scoring_judges_a_case_once"),
            CheckConstraint(
                condition=~Q(outcome="correct") | Q(error_type="", fault=""),
                name="a_correct_verdict_has_no_fault",
            ),
        )

    def __str__(self) -> str:
        return f"{self.outcome} on case {self.case_id}"


class Snapshot(models.Model):
    """A dated table published by a benchmark's own team."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="snapshots")
    date = models.DateField()
    source = models.CharField(max_length=500)  # where the table came from
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-date",)
        constraints = (
            UniqueConstraint(fields=("benchmark", "date"), name="a_snapshot_is_dated_once"),
        )

    def __str__(self) -> str:
        return f"{self.benchmark} as published on {self.date}"


class PublishedRow(models.Model):
    """One line of a snapshot's tables, with every figure as printed.

    `figures` is JSON text: `{table name: {column: printed text}}`. The numbers beside it are read
    from it once, so that boards can sort and filter: `overall` as a fraction, `cost` in the
    table's own unit (US dollars), `latency` as mean seconds.
    """

    snapshot = models.ForeignKey(Snapshot, on_delete=models.CASCADE, related_name="rows")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="published_rows")
    position = models.PositiveIntegerField()  # order in the source's overall table, from 1
    name = models.CharField(max_length=200)  # as printed
    figures = models.TextField()
    overall = models.FloatField(null=True)
    cost = models.FloatField(null=True)
    latency = models.FloatField(null=True)

    class Meta:
        ordering = ("snapshot", "position")
        constraints = (
            UniqueConstraint(fields=("snapshot", "entry"), name="a_snapshot_lists_an_entry_once"),
            UniqueConstraint(
                fields=("snapshot", "position"), name="a_place_in_a_snapshot_is_taken_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} in {self.snapshot}"


class ColumnSet(models.Model):
    """A table from a paper, kept by itself: what its columns count differs from every other's."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="column_sets")
    slug = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200)
    source = models.CharField(max_length=500)  # paper, table and page
    note = models.TextField(blank=True)  # what makes the table different
    # [{"title": …, "n": items a column counts, null where the source does not tell}]
    columns = models.JSONField(default=list)
    digest = models.CharField(max_length=64)  # of all that was imported: a changed table differs
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("benchmark", "position")
        constraints = (
            UniqueConstraint(
                fields=("benchmark", "slug"), name="a_column_set_is_named_once_per_benchmark"
            ),
        )

    def __str__(self) -> str:
        return f"{self.title} ({self.benchmark})"


class ColumnSetLine(models.Model):
    """One model in a column set, its figures as printed, in the columns' order.

    `figures` is a list of pairs: percent, and ROUGE-L or null.
    """

    column_set = models.ForeignKey(ColumnSet, on_delete=models.CASCADE, related_name="lines")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="column_set_lines")
    position = models.PositiveIntegerField()  # order in the source, from 1
    name = models.CharField(max_length=200)  # as printed
    setting = models.CharField(max_length=120, blank=True)  # how it was trained or asked
    figures = models.JSONField(default=list)

    class Meta:
        ordering = ("column_set", "position")
        constraints = (
            UniqueConstraint(
                fields=("column_set", "position"), name="a_place_in_a_column_set_is_taken_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.name} in {self.column_set}"


class CategoryScore(models.Model):
    """The counts of one category in one scoring, or its figure in a published snapshot.

    Fractions in [0, 1]; the official figures of a published row keep their printed precision.
    """

    scoring = models.ForeignKey(
        Scoring, null=True, blank=True, on_delete=models.CASCADE, related_name="category_scores"
    )
    snapshot = models.ForeignKey(
        Snapshot, null=True, blank=True, on_delete=models.CASCADE, related_name="category_scores"
    )
    entry = models.ForeignKey(  # for published figures; a scoring's entry is its run's
        Entry, null=True, blank=True, on_delete=models.CASCADE, related_name="published_scores"
    )
    category = models.ForeignKey(Category, on_delete=models.PROTECT, related_name="scores")
    n = models.PositiveIntegerField()
    correct = models.PositiveIntegerField(null=True)  # null: only the published share is known
    wrong = models.PositiveIntegerField(null=True)
    unscored = models.PositiveIntegerField(null=True)
    accuracy = models.FloatField(null=True)  # correct ÷ n; null: no case scored

    class Meta:
        ordering = ("pk",)
        constraints = (
            UniqueConstraint(
                fields=("scoring", "category"), name="a_scoring_scores_a_category_once"
            ),
            UniqueConstraint(
                fields=("snapshot", "entry", "category"),
                name="a_snapshot_scores_an_entry_and_category_once",
            ),
            CheckConstraint(
                condition=Q(
                    scoring__isnull=False, snapshot=None, entry=None, correct__isnull=False
                )
                | Q(scoring=None, snapshot__isnull=False, entry__isnull=False),
                name="a_category_score_is_scored_or_published",
            ),
            CheckConstraint(
                condition=Q(accuracy=None) | Q(accuracy__gte=0.0, accuracy__lte=1.0),
                name="an_accuracy_is_a_fraction",
            ),
        )

    def __str__(self) -> str:
        return f"{self.category}: {self.accuracy}"
