"""What somebody brought in, what it costs of their limits, and what followed from it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import UniqueConstraint
from django.utils import timezone

from evaluation.models import Run, RunEvent
from submissions.models.people import Organisation


class Submission(models.Model):
    """One request by a person to evaluate something, and the run it brought about."""

    submitted_by = models.ForeignKey(  # null: the account is gone
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="submissions",
    )
    organisation = models.ForeignKey(  # null: it is the person's own
        Organisation,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="submissions",
    )
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="submission")
    terms = models.CharField(max_length=20, blank=True)  # the version that was accepted
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"submission {self.pk}: {self.run}"


class RepeatedRequest(models.Model):
    """What was answered to a request with an Idempotency-Key, to answer its repetition alike."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            UniqueConstraint(fields=("user", "key"), name="a_key_means_one_request_of_a_person"),
        )

    def __str__(self) -> str:
        return f"{self.key}: {self.status}"


class HandledEvent(models.Model):
    """A run's event whose effects here (quota, notices, keys) have been carried out, once."""

    event = models.OneToOneField(RunEvent, on_delete=models.CASCADE, related_name="+")
    handled_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"event {self.event_id} handled"


class Charge(models.Model):
    """A run that counts against the limits of an account, an organisation and a host.

    Made with its submission; taken back when it turns out that the run ended by our own fault.
    """

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="charge")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="charges"
    )
    organisation = models.ForeignKey(
        Organisation, null=True, blank=True, on_delete=models.SET_NULL, related_name="charges"
    )
    host = models.CharField(max_length=300, blank=True)  # host:port; "" for uploads
    at = models.DateTimeField(default=timezone.now)
    free_because = models.CharField(max_length=200, blank=True)  # "": it counts

    class Meta:
        ordering = ("pk",)
        indexes = (
            models.Index(fields=("user", "at"), name="charge_by_user"),
            models.Index(fields=("organisation", "at"), name="charge_by_organisation"),
            models.Index(fields=("host", "at"), name="charge_by_host"),
        )

    def __str__(self) -> str:
        return f"{self.submission}: {self.free_because or 'counts'}"
