"""Addresses of a submitter's own pages."""

from __future__ import annotations

from django.urls import include, path

from submissions import upload_views, views

urlpatterns = [
    path("submit/", views.submit, name="submit"),
    path("submit/preview/", views.submit_preview, name="submit-preview"),
    path("submit/results/", upload_views.upload, name="upload"),
    path("terms/", views.terms_of_submission, name="terms"),
    path("submissions/", views.my_submissions, name="my-submissions"),
    path("runs/<int:pk>/<slug:name>/", views.act, name="run-action"),
    path("", include("submissions.account_urls")),
]
