"""What a moderator hides keeps no name of its submitter; what is withdrawn may keep it."""

from __future__ import annotations

import pytest
from django.test import Client

from evaluation import policy
from evaluation.models import Run
from submissions import moderation
from tests import make

pytestmark = pytest.mark.django_db
SLUR = "A name nobody should read"


@pytest.fixture
def run() -> Run:
    card = make.card(SLUR, slug="somebody", owner=make.user("ada"), organisation="A slur of a lab")
    return make.finished_run(make.entry(card))


def read(path: str) -> str:
    return Client().get(path).content.decode()


def test_a_hidden_entry_s_name_is_on_no_public_page(run: Run) -> None:
    before = read("/models/somebody/")
    moderation.hide(run, "Its name insults people.", by=make.user("mia", staff=True))

    pages = [
        *("/models/somebody/", f"/runs/{run.pk}/", "/bfcl-v4/", "/bfcl-v4/?format=csv", "/"),
        *("/api/v1/models/", "/api/v1/models/somebody/", "/api/v1/standings/bfcl-v4/"),
        *(f"/api/v1/runs/{run.pk}/", "/api/v1/entries/", "/bfcl-v4/compare/"),
    ]
    said = {path: read(path) for path in pages}

    assert SLUR in before
    assert [path for path, text in said.items() if SLUR in text or "slur" in text] == []
    assert "Its name insults people." in said["/models/somebody/"]
    assert "Its name insults people." in said[f"/runs/{run.pk}/"]


def test_a_withdrawn_entry_keeps_its_name(run: Run) -> None:
    moderation.withdraw(run)

    assert moderation.WITHDRAWN == policy.WITHDRAWN
    assert SLUR in read("/models/somebody/")
    assert SLUR in read(f"/runs/{run.pk}/")


def test_a_model_that_still_stands_on_the_board_keeps_its_name(run: Run) -> None:
    make.finished_run(run.entry, month=2)
    moderation.hide(run, "Asked another model.", by=make.user("mia", staff=True))

    assert SLUR in read(f"/runs/{run.pk}/")


def test_its_owner_still_reads_it(run: Run, client: Client) -> None:
    moderation.hide(run, "Its name insults people.", by=make.user("mia", staff=True))
    assert run.owner
    client.force_login(run.owner)

    assert SLUR in client.get("/models/somebody/").content.decode()
