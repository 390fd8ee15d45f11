"""Addresses of a submitter's own pages."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from submissions import views

sign_in = LoginView.as_view(template_name="registration/sign_in.html", next_page="my-submissions")

urlpatterns = [
    path("submit/", views.submit, name="submit"),
    path("submit/preview/", views.submit_preview, name="submit-preview"),
    path("submissions/", views.my_submissions, name="my-submissions"),
    path("runs/<int:pk>/<slug:name>/", views.act, name="run-action"),
    path("sign-in/", sign_in, name="sign-in"),
    path("sign-out/", LogoutView.as_view(next_page="home"), name="sign-out"),
    path("sign-up/", views.sign_up, name="sign-up"),
]
