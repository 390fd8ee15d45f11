"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from leaderboard.views import home, methodology, model, standings, theme, why

urlpatterns = [
    path("", home.home, name="home"),
    path("admin/", admin.site.urls),
    path("methodology/", methodology.methodology, name="methodology"),
    path("theme/", theme.theme, name="theme"),
    path("models/<slug:slug>/", model.model, name="model"),
    path("why/<int:entry>/rank/", why.rank, name="why-rank"),
    path("why/<int:entry>/<slug:name>/", why.score, name="why"),
    path("standings/", standings.boards, name="boards"),
    path("<slug:slug>/", standings.standings, name="standings"),
]
