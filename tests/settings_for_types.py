"""The product's settings for mypy's plugin, which starts no server and has no keys."""

import os

os.environ.setdefault("CALLBOARD_LOCAL", "1")

from leaderboard.settings import *  # noqa: F403
