"""The product's settings, over the tests' own servers."""

import os

from tests import servers

servers.start()
os.environ["CALLBOARD_KEY_PREFIX"] = f"test-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}:"

from leaderboard.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # tests make many users
STORAGES = STORAGES | {  # noqa: F405 -- no collectstatic before a test
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True  # served from where they are written
CALLBOARD_VERSION_SECONDS = 0  # a test's transaction is never committed, so nothing is announced
