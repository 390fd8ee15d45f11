"""Who brought what in: submissions point at what they made; nothing points back."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from evaluation.models import Run, RunEvent


class Submission(models.Model):
    """One request by a person to evaluate something, and the run it brought about."""

    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions"
    )
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="submission")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.run}"


class HandledEvent(models.Model):
    """A run's event whose effects here (quota, notices, keys) have been carried out, once."""

    event = models.OneToOneField(RunEvent, on_delete=models.CASCADE, related_name="+")
    handled_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"event {self.event_id} handled"
