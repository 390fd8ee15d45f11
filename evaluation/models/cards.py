"""Who is ranked: model cards, and their entries (rows of a board)."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import CheckConstraint, Q, UniqueConstraint

from evaluation.models.benchmarks import Benchmark


class Mode(models.TextChoices):
    FC = "fc", "FC"
    PROMPT = "prompt", "Prompt"


class Evidence(models.TextChoices):
    """How far a figure can be trusted; never a submitter's own word."""

    VERIFIED = "verified", "Verified"  # we asked this endpoint
    SPOT_CHECKED = "spot_checked", "Spot-checked"  # uploaded, a sample asked again by us
    UPLOADED = "uploaded", "Uploaded"  # we scored outputs we cannot vouch for
    PUBLISHED = "published", "Published"  # by the benchmark's own team


RANKED_EVIDENCE = (Evidence.VERIFIED, Evidence.PUBLISHED)


class ModelCard(models.Model):
    """A model as people speak of it, whatever endpoint serves it."""

    slug = models.SlugField(max_length=120, unique=True)
    name = models.CharField(max_length=120)
    organisation = models.CharField(max_length=120)
    licence = models.CharField(max_length=120, blank=True)
    link = models.URLField(max_length=500, blank=True)
    open_weights = models.BooleanField(null=True)  # null: not known
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL
    )
    # People who may submit under this card, where it is not one person's own.
    stewards = models.ForeignKey(
        Group, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)  # pages kept whole show its words

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """One row of a board: a model card × mode × benchmark version × evidence.

    `shown_run` is the fold of the visible counting runs by publication time (see
    services.publishing); published entries have none, their scores hang on a snapshot.
    """

    card = models.ForeignKey(ModelCard, on_delete=models.CASCADE, related_name="entries")
    benchmark = models.ForeignKey(Benchmark, on_delete=models.PROTECT, related_name="entries")
    mode = models.CharField(max_length=8, choices=Mode)
    evidence = models.CharField(max_length=16, choices=Evidence)
    shown_run = models.ForeignKey(
        "evaluation.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "entries"
        ordering = ("pk",)
        constraints = (
            UniqueConstraint(
                fields=("card", "benchmark", "mode", "evidence"),
                name="an_entry_is_one_card_mode_benchmark_and_evidence",
            ),
            CheckConstraint(
                condition=~Q(evidence="published") | Q(shown_run=None),
                name="a_published_entry_has_no_run",
            ),
        )

    def __str__(self) -> str:
        return f"{self.card} ({self.get_mode_display()})"
