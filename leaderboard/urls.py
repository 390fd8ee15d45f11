"""Every address of the site."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from leaderboard.views import (
    case,
    compare,
    files,
    home,
    mark,
    methodology,
    model,
    plots,
    run,
    samples,
    sensitivity,
    standings,
    styleguide,
    theme,
    why,
)

handler400 = "leaderboard.views.refused.bad_request"
handler500 = "leaderboard.views.refused.trouble"

urlpatterns = [
    path("", home.home, name="home"),
    path("favicon.ico", mark.favicon),
    path("admin/", admin.site.urls),
    path("methodology/", methodology.methodology, name="methodology"),
    path("runs/<int:pk>/", run.run, name="run"),
    path("runs/<int:pk>/export.zip", files.export, name="export"),
    path("runs/<int:pk>/samples.<slug:suffix>", samples.samples, name="run-samples"),
    path("runs/<int:pk>/replies/<int:reply_pk>/", run.reply, name="reply"),
    path("", include("submissions.urls")),
    path("theme/", theme.theme, name="theme"),
    path("api/v1/", include("leaderboard.api.urls")),
    path("models/<slug:slug>/", model.model, name="model"),
    path("why/<int:entry>/rank/", why.rank, name="why-rank"),
    path("why/<int:entry>/<slug:name>/", why.score, name="why"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
    path("standings/", standings.all_boards, name="boards"),
    path("<slug:slug>/format-sensitivity/", sensitivity.sensitivity, name="format-sensitivity"),
    path("<slug:slug>/cases/<str:name>/", case.case, name="case"),
    path("<slug:slug>/cases/<str:name>/replay/", case.replay, name="replay"),
    path("<slug:slug>/compare/", compare.compare, name="compare"),
    path("<slug:slug>/plots/", plots.board_plots, name="plots"),
    path("<slug:slug>/", standings.standings, name="standings"),
]
