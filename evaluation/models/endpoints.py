"""Where a model is asked."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q

from evaluation.models.cards import Mode, ModelCard

MAX_IN_FLIGHT = 512
MAX_TIMEOUT = 600  # seconds

__all__ = ["MAX_IN_FLIGHT", "MAX_TIMEOUT", "Endpoint", "Mode", "host_of", "origin_of"]

PORTS = {"https": 443, "http": 80}


def host_of(base_url: str) -> str:
    """host:port of an address, the usual port written out: what limits per host count by."""
    parts = urlsplit(base_url)
    return f"{(parts.hostname or '').rstrip('.')}:{parts.port or PORTS.get(parts.scheme, 0)}"


def origin_of(base_url: str) -> str:
    """What a key is bound to: it is never sent to another scheme, host or port."""
    return f"{urlsplit(base_url).scheme}://{host_of(base_url)}"


class Endpoint(models.Model):
    """An OpenAI-compatible address of a model, and how it wants to be asked.

    The key is write-only: sealed by evaluation.secrets, opened by the runner alone.
    """

    card = models.ForeignKey(ModelCard, on_delete=models.CASCADE, related_name="endpoints")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    stewards = models.ForeignKey(  # as of its runs
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    base_url = models.URLField(max_length=500)
    host = models.CharField(max_length=300, editable=False, db_index=True)  # host:port of it
    remote_model = models.CharField(max_length=200)  # the name the server knows it by
    auth_header = models.CharField(max_length=60, default="Authorization")  # "api-key" for Azure
    api_version = models.CharField(max_length=60, blank=True)  # ?api-version=, for Azure
    sealed_key = models.BinaryField(null=True, blank=True, editable=False)
    key_last_four = models.CharField(max_length=4, blank=True, editable=False)
    mode = models.CharField(max_length=8, choices=Mode)
    underscore = models.BooleanField(default=True)  # dots in tool names travel as underscores
    parameters = models.JSONField(default=dict, blank=True)  # allow-listed sampling parameters
    reasoning_end = models.CharField(max_length=60, blank=True)
    in_flight = models.PositiveSmallIntegerField(
        default=8, validators=(MinValueValidator(1), MaxValueValidator(MAX_IN_FLIGHT))
    )
    timeout = models.PositiveSmallIntegerField(  # seconds a request may take in all
        default=120, validators=(MinValueValidator(1), MaxValueValidator(MAX_TIMEOUT))
    )
    # US dollars per million tokens; null: not known
    price_in = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    price_out = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            CheckConstraint(
                condition=Q(mode="fc") | Q(underscore=False),
                name="underscores_are_a_setting_of_fc_mode_only",
            ),
            CheckConstraint(
                condition=Q(in_flight__gte=1, in_flight__lte=MAX_IN_FLIGHT),
                name="requests_in_flight_are_between_1_and_512",
            ),
            CheckConstraint(
                condition=Q(timeout__gte=1, timeout__lte=MAX_TIMEOUT),
                name="a_request_may_take_between_1_and_600_seconds",
            ),
        )

    def __str__(self) -> str:
        return f"{self.remote_model} at {self.base_url}"

    def save(self, **options: Any) -> None:
        """Keep the host in step; a key that was given for another host is dropped."""
        self.host = host_of(self.base_url)
        if self.pk and self.sealed_key is not None and not self._state.adding:
            before = Endpoint.objects.filter(pk=self.pk).values_list("base_url", flat=True).first()
            if before is not None and origin_of(before) != origin_of(self.base_url):
                self.sealed_key, self.key_last_four = None, ""
        if fields := options.get("update_fields"):
            options["update_fields"] = {*fields, "host", "sealed_key", "key_last_four"}
        super().save(**options)

    @property
    def lost_its_key(self) -> bool:
        """Whether a key was needed once and has been deleted since."""
        return self.sealed_key is None and bool(self.key_last_four)
