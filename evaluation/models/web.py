"""The web as models saw it: every search and page, kept so that others may see the same."""

from __future__ import annotations

from django.db import models
from django.db.models import UniqueConstraint

from evaluation.models.benchmarks import Benchmark


class WebRecord(models.Model):
    """One response to one request of a benchmark's web tools. Holds no key."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="web_records")
    key = models.CharField(max_length=64)  # engine.play.WebRequest.key
    url = models.TextField()
    status = models.PositiveSmallIntegerField()  # 0: nothing came back, see trouble
    content_type = models.CharField(max_length=100, blank=True)
    trouble = models.TextField(blank=True)
    body = models.BinaryField(default=bytes)  # zlib-compressed UTF-8 text
    fetched_at = models.DateTimeField()

    class Meta:
        ordering = ("benchmark", "key")
        constraints = (
            UniqueConstraint(
                fields=("benchmark", "key"), name="a_benchmark_records_a_request_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.url[:80]} for {self.benchmark_id}"
