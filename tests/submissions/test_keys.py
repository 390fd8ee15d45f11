"""Sealed keys: bound to one host, and moved under a new sealing key by one command."""

from __future__ import annotations

from io import StringIO

import pytest
from allauth.mfa.models import Authenticator
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from pytest_django import Settings

from evaluation.models import Endpoint
from evaluation.models.endpoints import origin_of
from evaluation.secrets import CannotOpen, open_sealed, seal
from tests import make

pytestmark = pytest.mark.django_db
KEY = "sk-0123456789abcdef"
HERE, THERE = "https://api.example.org/v1", "https://evil.example.net/v1"


def keyed() -> Endpoint:
    sealed = seal(KEY, origin_of(HERE))
    return make.endpoint(base_url=HERE, sealed_key=sealed, key_last_four="cdef")


def rotate() -> str:
    out = StringIO()
    call_command("rotate_keys", stdout=out)
    return out.getvalue()


def test_another_host_drops_the_key() -> None:
    endpoint = keyed()

    endpoint.base_url = THERE
    endpoint.save()

    endpoint.refresh_from_db()
    assert (endpoint.sealed_key, endpoint.key_last_four) == (None, "")


@pytest.mark.parametrize("address", ["http://api.example.org/v1", "https://api.example.org:1/v1"])
def test_another_scheme_or_port_drops_the_key(address: str) -> None:
    endpoint = keyed()

    endpoint.base_url = address
    endpoint.save(update_fields=["base_url"])

    endpoint.refresh_from_db()
    assert endpoint.sealed_key is None


def test_another_path_of_the_same_host_keeps_the_key() -> None:
    endpoint = keyed()

    endpoint.base_url = "https://api.example.org/other/v1"
    endpoint.save()

    endpoint.refresh_from_db()
    assert open_sealed(endpoint.sealed_key or b"", origin_of(endpoint.base_url)) == KEY


def test_a_key_moved_beside_another_address_by_force_does_not_open() -> None:
    endpoint = keyed()
    Endpoint.objects.filter(pk=endpoint.pk).update(base_url=THERE)
    endpoint.refresh_from_db()

    with pytest.raises(CannotOpen, match="another address"):
        open_sealed(endpoint.sealed_key or b"", origin_of(endpoint.base_url))


def test_rotation_lets_the_old_key_be_retired(settings: Settings) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    settings.CALLBOARD_KEYS = [old]
    endpoint = keyed()
    factor = Authenticator.objects.create(
        user=make.user(), type="totp", data={"secret": seal("JBSWY3DP").decode()}
    )
    settings.CALLBOARD_KEYS = [new, old]

    said = rotate()

    settings.CALLBOARD_KEYS = [new]
    endpoint.refresh_from_db()
    factor.refresh_from_db()
    assert open_sealed(endpoint.sealed_key or b"", origin_of(HERE)) == KEY
    assert open_sealed(factor.data["secret"].encode()) == "JBSWY3DP"
    assert said.startswith("1 API keys and 1 second factors")


def test_rotation_names_what_no_key_opens_and_moves_the_rest(settings: Settings) -> None:
    lost = keyed()
    new = Fernet.generate_key().decode()
    settings.CALLBOARD_KEYS = [new]
    good = keyed()

    with pytest.raises(CommandError, match=f"endpoint {lost.pk}"):
        rotate()

    good.refresh_from_db()
    assert open_sealed(good.sealed_key or b"", origin_of(HERE)) == KEY
