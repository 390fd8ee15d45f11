"""Mail that is due, and who wants which."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.models import Run


class Notice(models.Model):
    """A mail that is due: written in the transaction of what it tells, sent once afterwards."""

    class Kind(models.TextChoices):
        WAITING = "waiting", "An entry waits for a moderator"
        ASKED = "asked", "A moderator asks"
        APPROVED = "approved", "A moderator has published a run"
        HIDDEN = "hidden", "A moderator has hidden a run"
        BANNED = "banned", "The account is banned"
        FINISHED = "finished", "A run has finished"
        INCOMPLETE = "incomplete", "A run has ended incomplete"
        FAILED = "failed", "A run has failed"
        PAUSED = "paused", "A run is paused"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices"
    )
    kind = models.CharField(max_length=12, choices=Kind)
    run = models.ForeignKey(
        Run, null=True, blank=True, on_delete=models.CASCADE, related_name="notices"
    )
    text = models.TextField(blank=True)  # the reason or question as it was then
    due_at = models.DateTimeField(default=timezone.now)
    # Set before the mail server is told: whatever happens then, it is not told again.
    taken_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(
                fields=("due_at",), condition=Q(taken_at=None), name="notice_that_is_due"
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.user}"


class MailChoice(models.Model):
    """Which mail somebody wants beside what their account's safety needs; no row: all of it."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_choice"
    )
    runs = models.BooleanField(default=True)  # their runs end or stand still
    decisions = models.BooleanField(default=True)  # moderators ask or decide
    queue = models.BooleanField(default=True)  # of a moderator: something waits

    def __str__(self) -> str:
        return f"mail for {self.user}"
