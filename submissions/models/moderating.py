"""What becomes public, who may not submit, and how far uploads are believed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import CheckConstraint, Q
from django.utils import timezone

from evaluation.models import Run


class Publication(models.Model):
    """What has become of somebody's wish to have a run on the board."""

    class State(models.TextChoices):
        WAITING = "waiting", "Waiting for a moderator"
        ASKED = "asked", "A moderator asks"
        PUBLISHED = "published", "Published"
        HIDDEN = "hidden", "Hidden by a moderator"
        WITHDRAWN = "withdrawn", "Withdrawn"

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="publication")
    state = models.CharField(max_length=12, choices=State)
    doubts = models.TextField(blank=True)  # why a moderator looks, a line each
    reason = models.TextField(
        blank=True
    )  # what a moderator asks, or why it is hidden: public then
    answer = models.TextField(blank=True)  # the submitter's, to what was asked
    requested_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(  # null: nobody had to
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )

    class Meta:
        ordering = ("requested_at", "pk")
        indexes = (models.Index(fields=("state", "requested_at"), name="publication_by_state"),)
        constraints = (
            CheckConstraint(
                condition=~Q(state__in=("asked", "hidden", "withdrawn")) | ~Q(reason=""),
                name="a_publication_held_back_says_why",
            ),
        )

    def __str__(self) -> str:
        return f"{self.run}: {self.state}"


class Ban(models.Model):
    """An account that may not submit or publish any more, and why."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="ban"
    )
    reason = models.TextField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.user}: {self.reason}"


class BanMark(models.Model):
    """By what a banned person is known again: a keyed digest, no address. No account of theirs."""

    digest = models.CharField(max_length=64, unique=True)
    reason = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.reason


class SpotCheck(models.Model):
    """Cases of an upload asked again at an endpoint, and how far the answers agree."""

    upload = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="spot_checks")
    asked = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="spot_check_of")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    # Cases with a verdict on both sides, and those with the same one. Null: not over yet.
    compared = models.PositiveIntegerField(null=True, blank=True)
    agreed = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            CheckConstraint(
                condition=Q(compared=None, agreed=None) | Q(agreed__lte=models.F("compared")),
                name="no_more_cases_agree_than_were_compared",
            ),
        )

    def __str__(self) -> str:
        return f"spot check of {self.upload}"
