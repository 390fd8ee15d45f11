"""One evaluation of one entry: runs, what happened to them, their slices and replies."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import Group
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint
from django.utils import timezone

from evaluation.models.benchmarks import Case, Category
from evaluation.models.cards import Entry
from evaluation.models.endpoints import Endpoint


class RunQuerySet(models.QuerySet["Run"]):
    def active(self) -> Self:
        return self.filter(state__in=Run.ACTIVE)

    def terminal(self) -> Self:
        return self.exclude(state__in=Run.ACTIVE)

    def counting(self) -> Self:
        """Published runs over whole categories: those an entry may show."""
        return self.filter(counts=True, published_at__isnull=False, hidden_at=None)


class Run(models.Model):
    """An evaluation of an entry under one frozen configuration.

    This row is the truth; the broker only hints that there is work. Every change of `state`
    goes through services.transitions, which writes the RunEvent beside it.
    """

    class State(models.TextChoices):
        QUEUED = "queued", "Queued"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        FINISHED = "finished", "Finished"
        INCOMPLETE = "incomplete", "Incomplete"  # some case unscored or not run
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING, State.PAUSED)

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="runs")
    endpoint = models.ForeignKey(  # null for uploads
        Endpoint, null=True, blank=True, on_delete=models.SET_NULL, related_name="runs"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    # A run of several people has no owner: these may see it, and those among them may steer it.
    viewers = models.ForeignKey(
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    stewards = models.ForeignKey(
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED)
    reason = models.TextField(blank=True)  # why it is in this state, in a sentence for people
    # What was asked and how, without any secret, exactly as hashed: JSON text.
    configuration = models.TextField()
    configuration_sha256 = models.CharField(max_length=64)
    share_key = models.CharField(max_length=120, blank=True)  # runs with one key share fairly
    categories = models.ManyToManyField(Category, related_name="runs")
    n = models.PositiveIntegerField()  # cases that count, of those it asks
    counts = models.BooleanField(default=True)  # false with --limit or --case: never on a board
    is_local = models.BooleanField(default=False)  # driven by a command; workers leave it alone
    # Endpoint trouble, kept here so that a resumed run and another worker know of it.
    failures_in_row = models.PositiveIntegerField(default=0)
    accepted_replies = models.PositiveIntegerField(default=0)
    requests_sent = models.PositiveIntegerField(default=0)
    retries = models.PositiveIntegerField(default=0)
    deviations = models.JSONField(default=dict, blank=True)  # name -> how many replies
    asking_since = models.DateTimeField(default=timezone.now)  # earlier failures do not count
    paused_at = models.DateTimeField(null=True, blank=True)
    paused_by_owner = models.BooleanField(default=False)  # no probes: it waits for a person
    next_probe_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)  # any terminal state
    published_at = models.DateTimeField(null=True, blank=True)
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_because = models.TextField(blank=True)  # for everybody: stays where the run stood

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at", "-pk")
        permissions = (("moderate_runs", "Can moderate what is published, and ban accounts"),)
        indexes = (
            models.Index(fields=("state", "created_at"), name="run_by_state"),
            models.Index(fields=("entry", "published_at"), name="run_by_entry"),
        )
        constraints = (
            CheckConstraint(
                condition=Q(state__in=("queued", "running", "paused"), finished_at=None)
                | Q(
                    state__in=("finished", "incomplete", "failed", "cancelled"),
                    finished_at__isnull=False,
                ),
                name="a_run_has_an_end_time_exactly_when_it_has_ended",
            ),
            CheckConstraint(
                condition=~Q(state__in=("paused", "incomplete", "failed", "cancelled"))
                | ~Q(reason=""),
                name="a_run_that_did_not_finish_says_why",
            ),
            CheckConstraint(
                condition=Q(published_at=None) | Q(state__in=("finished", "incomplete")),
                name="only_a_run_with_results_is_published",
            ),
        )

    def __str__(self) -> str:
        return f"run {self.pk} of {self.entry}"

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE


class RunEvent(models.Model):
    """One transition of a run, written in the transaction that made it. Append-only."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="events")
    from_state = models.CharField(max_length=12, choices=Run.State, blank=True)  # "" at birth
    to_state = models.CharField(max_length=12, choices=Run.State)
    reason = models.TextField(blank=True)
    is_our_fault = models.BooleanField(default=False)  # nobody is charged for such a run
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.from_state or 'new'} → {self.to_state}"


class Slice(models.Model):
    """A share of a run's cases that one worker holds at a time, under a lease that expires."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting"
        LEASED = "leased", "Leased"
        DONE = "done", "Done"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="slices")
    number = models.PositiveIntegerField()
    cases = ArrayField(models.BigIntegerField())  # primary keys, in dataset order
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    lease_token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    slots = models.PositiveSmallIntegerField(default=0)  # requests in flight its lease allows
    not_before = models.DateTimeField(null=True, blank=True)
    enqueued_at = models.DateTimeField(null=True, blank=True)  # a hint is in the broker since
    expiries = models.PositiveSmallIntegerField(default=0)  # leases lost in a row, no progress

    class Meta:
        ordering = ("run", "number")
        indexes = (models.Index(fields=("state", "lease_until"), name="slice_by_lease"),)
        constraints = (
            UniqueConstraint(fields=("run", "number"), name="a_slice_is_numbered_once_per_run"),
            CheckConstraint(
                condition=Q(state="leased", lease_token__isnull=False, lease_until__isnull=False)
                | (~Q(state="leased") & Q(lease_token=None, lease_until=None)),
                name="a_slice_has_a_lease_exactly_when_leased",
            ),
        )

    def __str__(self) -> str:
        return f"slice {self.number} of run {self.run_id}"


class WorldSnapshot(models.Model):
    """What the world of a chain's case held when it ended: where the next case starts."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="world_snapshots")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="+")
    body = models.BinaryField()  # zlib-compressed JSON text

    class Meta:
        constraints = (
            UniqueConstraint(fields=("run", "case"), name="a_case_keeps_its_world_once_per_run"),
        )

    def __str__(self) -> str:
        return f"world after case {self.case_id} of run {self.run_id}"


class Reply(models.Model):
    """One attempt at one question, as received: the evidence every verdict rests on.

    `body` is zlib-compressed bytes after content-decoding, cut at the client's size limit, the
    literal API key blotted out (`redacted`). For an upload it is the result value's JSON text.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="replies")
    case = models.ForeignKey(Case, on_delete=models.PROTECT, related_name="+")
    turn = models.PositiveSmallIntegerField(default=0)
    step = models.PositiveSmallIntegerField(default=0)
    attempt = models.PositiveSmallIntegerField(default=1)  # 1, 2, …: never restarts
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)  # HTTP status; null: no response
    body = models.BinaryField(default=bytes)
    # Tools' replies that this question brought along, as zlib-compressed JSON text; else empty.
    given = models.BinaryField(default=bytes)
    redacted = models.BooleanField(default=False)
    accepted = models.BooleanField(default=False)
    trouble = models.CharField(max_length=20, blank=True)  # client.errors kind; "" if answered
    explanation = models.TextField(blank=True)  # the trouble in words, blotted and cut
    deviations = ArrayField(models.CharField(max_length=40), default=list)
    finish_reason = models.CharField(max_length=40, blank=True)
    latency = models.FloatField(null=True)  # seconds, request sent to body read
    tokens_in = models.PositiveIntegerField(null=True)  # as reported; null: not reported
    tokens_out = models.PositiveIntegerField(null=True)
    # Of an upload: the line's own counts and times where they are lists, as JSON text.
    figures = models.TextField(blank=True)
    sent_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "replies"
        ordering = ("run", "case", "turn", "step", "attempt")
        constraints = (
            UniqueConstraint(
                fields=("run", "case", "turn", "step", "attempt"),
                name="an_attempt_at_a_question_is_stored_once",
            ),
            UniqueConstraint(
                fields=("run", "case", "turn", "step"),
                condition=Q(accepted=True),
                name="one_reply_to_a_question_is_accepted",
            ),
        )

    def __str__(self) -> str:
        return f"attempt {self.attempt} at case {self.case_id}, run {self.run_id}"
