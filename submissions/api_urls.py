"""Addresses below /api/v1/submissions/."""

from __future__ import annotations

from django.urls import path

from submissions import api

urlpatterns = [
    path("", api.Submissions.as_view(), name="api-submissions"),
    path("<int:pk>/", api.OneSubmission.as_view(), name="api-submission"),
    path("<int:pk>/spot-check/", api.SpotChecks.as_view(), name="api-spot-check"),
    path("<int:pk>/answer/", api.Answer.as_view(), name="api-answer"),
    path("<int:pk>/key/", api.Key.as_view(), name="api-key"),
    path("<int:pk>/<slug:name>/", api.Steering.as_view(), name="api-steering"),
]
