"""The test session's own plumbing."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection

pytestmark = pytest.mark.django_db


def test_a_test_has_a_database_of_its_own() -> None:
    User.objects.create(username="alice")

    name = connection.settings_dict["NAME"]

    assert str(name).startswith("test_")
    assert User.objects.count() == 1
