"""Addresses of a submitter's own pages."""

from __future__ import annotations

from django.urls import include, path

from submissions import keys, moderation_views, spot_checks, upload_views, views

urlpatterns = [
    path("submit/", views.submit, name="submit"),
    path("submit/preview/", views.submit_preview, name="submit-preview"),
    path("submit/results/", upload_views.upload, name="upload"),
    path("terms/", views.terms_of_submission, name="terms"),
    path("submissions/", views.my_submissions, name="my-submissions"),
    path("runs/<int:pk>/spot-check/", spot_checks.spot_check, name="spot-check"),
    path("runs/<int:pk>/key/", keys.replace_key, name="replace-key"),
    path("runs/<int:pk>/answer/", moderation_views.answer, name="answer"),
    path("runs/<int:pk>/<slug:name>/", views.act, name="run-action"),
    path("moderation/", moderation_views.queue, name="moderation"),
    path("moderation/runs/<int:pk>/", moderation_views.one, name="moderate"),
    path("moderation/runs/<int:pk>/<slug:name>/", moderation_views.decide, name="decide"),
    path("", include("submissions.account_urls")),
]
