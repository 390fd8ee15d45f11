"""Scorings of a run beside its usual one: the same answers, judged in another profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.http import HttpRequest

from evaluation.benchmarks import profiles_of, suite
from evaluation.benchmarks.suite import Share
from evaluation.models import Run, Scoring
from leaderboard import forms


def beside(request: HttpRequest, run: Run) -> Scoring | None:
    """The whole scoring in the profile that the address names; None: the usual one is meant."""
    profile = forms.profile(request.GET, profiles_of(run.entry.benchmark.suite))
    if not profile:
        return None
    return run.scorings.filter(profile=profile, due=None).order_by("-pk").first()


def shown(request: HttpRequest, run: Run) -> Scoring | None:
    return beside(request, run) or run.scorings.filter(is_current=True).first()


def links(run: Run) -> list[tuple[str, str]]:
    """The profiles in which a run is judged, and the query that shows each; none if only one."""
    profiles = profiles_of(run.entry.benchmark.suite)
    if len(profiles) < 2:
        return []
    judged = set(run.scorings.filter(due=None).values_list("profile", flat=True))
    others = [name for name in profiles[1:] if name in judged]
    return [(profiles[0], ""), *((name, f"?profile={name}") for name in others)] if others else []


def notes(run: Run, categories: Iterable[str]) -> Mapping[str, str]:
    """What the suite wants known of some of these categories."""
    if not profiles_of(run.entry.benchmark.suite):
        return {}
    known = suite(run.entry.benchmark.suite).notes
    return {name: known[name] for name in categories if name in known}


def ceilings(run: Run, scoring: Scoring | None) -> Mapping[str, Share]:
    """What the recorded answers reach in each category, in the profile shown."""
    profiles = profiles_of(run.entry.benchmark.suite)
    if not profiles:
        return {}
    profile = scoring.profile if scoring else profiles[0]
    return suite(run.entry.benchmark.suite).ceilings.get(profile, {})
