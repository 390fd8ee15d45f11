"""The site's addresses as they are where sign-in with GitHub is configured."""

from __future__ import annotations

from django.urls import include, path

from leaderboard.urls import urlpatterns as usual

urlpatterns = [
    path("account/connected/", include("allauth.socialaccount.urls")),
    path("account/", include("allauth.socialaccount.providers.github.urls")),
    *usual,
]
