"""Addresses of the API's first version."""

from __future__ import annotations

from django.urls import include, path, re_path
from rest_framework.routers import SimpleRouter

from leaderboard.api import benchmarks, cases, front, models, runs, snapshots, standings

router = SimpleRouter()
router.register("benchmarks", benchmarks.BenchmarkViewSet, "api-benchmark")
router.register("categories", benchmarks.CategoryViewSet, "api-category")
router.register("models", models.CardViewSet, "api-model")
router.register("entries", models.EntryViewSet, "api-entry")
router.register("runs", runs.RunViewSet, "api-run")
router.register("cases", cases.CaseViewSet, "api-case")
router.register("snapshots", snapshots.SnapshotViewSet, "api-snapshot")

urlpatterns = [
    path("", front.Front.as_view(), name="api"),
    path("openapi.json", front.openapi, name="api-openapi"),
    path("docs/", front.docs, name="api-docs"),
    path("standings/<slug:slug>/", standings.StandingsView.as_view(), name="api-standings"),
    re_path(
        r"^runs/(?P<run>[0-9]{1,18})/samples/$",
        runs.SampleViewSet.as_view({"get": "list"}),
        name="api-samples",
    ),
    path("submissions/", include("submissions.api_urls")),
    path("", include(router.urls)),
    re_path("", front.Nothing.as_view()),
]
