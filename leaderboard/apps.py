from django.apps import AppConfig

from leaderboard.celery import app as celery_app

__all__ = ["LeaderboardConfig", "celery_app"]


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from evaluation import freshness
        from leaderboard import hints

        freshness.follow(hints.find_all_ranges)
