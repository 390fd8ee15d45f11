"""What is asked: benchmark versions, their categories, cases and corrected answers."""

from __future__ import annotations

from typing import Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import UniqueConstraint


class BenchmarkQuerySet(models.QuerySet["Benchmark"]):
    def current(self) -> Self:
        """The newest version of each suite: what new runs are made on."""
        return self.filter(is_current=True)


class Benchmark(models.Model):
    """One version of one benchmark: a digest of its data. Changed data makes another row."""

    suite = models.SlugField(max_length=60)  # names the code: an entry of benchmarks.SUITES
    slug = models.SlugField(max_length=60, unique=True)  # the address; later versions get -2, -3
    title = models.CharField(max_length=120)
    package = models.CharField(max_length=120)
    version = models.CharField(max_length=60)
    digest = models.CharField(max_length=64)  # sha256 of all data files, hex
    licence = models.CharField(max_length=120, blank=True)
    # Categories this board can run, frozen when the version is loaded: the renormalised Overall
    # of every row, published ones included, is taken over exactly these.
    runnable = ArrayField(models.CharField(max_length=60), default=list)
    is_current = models.BooleanField(default=True)
    cases_public_from = models.DateTimeField(null=True, blank=True)  # null: public at once
    created_at = models.DateTimeField(auto_now_add=True)

    objects = BenchmarkQuerySet.as_manager()

    class Meta:
        ordering = ("suite", "-created_at", "pk")
        constraints = (
            UniqueConstraint(
                fields=("suite", "digest"), name="a_benchmark_version_is_known_by_its_digest"
            ),
            UniqueConstraint(
                fields=("suite",),
                condition=models.Q(is_current=True),
                name="one_version_of_a_suite_is_current",
            ),
        )

    def __str__(self) -> str:
        return self.title


class Category(models.Model):
    """A set of cases judged alike; what it weighs stands in the suite's tree, not here."""

    benchmark = models.ForeignKey(Benchmark, on_delete=models.CASCADE, related_name="categories")
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField()
    n = models.PositiveIntegerField()  # number of cases
    modes = ArrayField(models.CharField(max_length=8), default=list)
    unavailable = models.TextField(blank=True)  # why this board cannot run it; empty if it can
    is_extra = models.BooleanField(default=False)  # outside Overall, off by default

    class Meta:
        verbose_name_plural = "categories"
        ordering = ("benchmark", "position")
        constraints = (
            UniqueConstraint(
                fields=("benchmark", "name"), name="a_category_is_named_once_per_benchmark"
            ),
        )

    def __str__(self) -> str:
        return self.title


class Case(models.Model):
    """One question as stored. JSON travels as text: a JSON column would change 1.0, NaN, order."""

    category = models.ForeignKey(Category, on_delete=models.CASCADE, related_name="cases")
    name = models.CharField(max_length=200)  # the benchmark's own id
    position = models.PositiveIntegerField()  # dataset order within the category
    question = models.TextField()
    answer = models.TextField(blank=True)  # version 1 of the accepted answer; empty: none needed
    chain = models.CharField(max_length=120, blank=True)  # cases that build on one another
    # Played before the chain's other cases, in order of position; never judged, outside n.
    is_prerequisite = models.BooleanField(default=False)

    class Meta:
        ordering = ("category", "position")
        constraints = (
            UniqueConstraint(fields=("category", "name"), name="a_case_is_in_its_category_once"),
            UniqueConstraint(
                fields=("category", "position"), name="a_position_in_a_category_is_taken_once"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Erratum(models.Model):
    """A corrected accepted answer; questions never change. Old scorings stay citable.

    `is_excluded` takes the case out of n, because nobody can be judged on it; its `answer` then
    says nothing. `profile` names the scorer's profile it holds in, empty: in every one.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="errata")
    profile = models.CharField(max_length=30, blank=True)
    answers_version = models.PositiveIntegerField()  # from this version of the answers on
    answer = models.TextField(blank=True)
    is_excluded = models.BooleanField(default=False)
    reason = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "errata"
        ordering = ("case", "answers_version")
        constraints = (
            UniqueConstraint(
                fields=("case", "answers_version", "profile"),
                name="a_case_is_corrected_once_per_answers_version_and_profile",
            ),
        )

    def __str__(self) -> str:
        return f"{self.case} from answers version {self.answers_version}"
