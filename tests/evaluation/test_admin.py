"""The admin: staff see everything but keys, forge nothing, and act through the services."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from evaluation.models import Endpoint, Run
from tests import make

pytestmark = pytest.mark.django_db
OURS = [
    model
    for model in admin.site._registry
    if model._meta.app_label in ("evaluation", "submissions")
]
LISTS = [f"/admin/{model._meta.app_label}/{model._meta.model_name}/" for model in OURS]


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(make.user("staff", staff=True))
    return client


def fill(times: int) -> None:
    for _ in range(times):
        run = make.finished_run(make.entry(make.card(owner=make.user())))
        make.reply(run, run.categories.earliest("pk").cases.earliest("pk"), b"{}")


@pytest.mark.parametrize("path", LISTS)
def test_every_list_costs_the_same_queries_for_any_number_of_rows(
    staff: Client, path: str
) -> None:
    fill(1)
    with CaptureQueriesContext(
        connection,
    ) as few:
        staff.get(path)
    fill(5)

    with CaptureQueriesContext(connection) as many:
        page = staff.get(path)

    assert page.status_code == 200
    assert len(many) == len(few)


@pytest.mark.parametrize("path", LISTS)
def test_nothing_is_added_or_deleted_by_hand(staff: Client, path: str) -> None:
    fill(1)

    page = staff.get(f"{path}add/")

    assert page.status_code == 403
    assert "delete_selected" not in staff.get(path).content.decode()


@pytest.mark.parametrize("model", [Run, Endpoint])
def test_rows_that_services_write_cannot_be_changed(
    staff: Client, model: type[Run] | type[Endpoint]
) -> None:
    fill(1)
    path = f"/admin/evaluation/{model._meta.model_name}/{model.objects.get().pk}/change/"

    read, written = staff.get(path), staff.post(path, {"state": "failed"})

    assert (read.status_code, written.status_code) == (200, 403)


def test_the_sealed_key_is_no_field(staff: Client) -> None:
    endpoint = make.endpoint(sealed_key=b"gAAAA-sealed", key_last_four="c81a")

    text = staff.get(f"/admin/evaluation/endpoint/{endpoint.pk}/change/").content.decode()

    assert "gAAAA" not in text
    assert "sealed" not in text


@pytest.mark.parametrize(
    ("action", "run_fields", "becomes"),
    [
        ("publish", {"state": "finished"}, "published"),
        ("cancel", {"state": "running"}, "cancelled"),
    ],
)
def test_staff_act_on_runs_through_the_services(
    staff: Client, action: str, run_fields: dict[str, str], becomes: str
) -> None:
    run = make.run(**run_fields)  # type: ignore[arg-type]

    page = staff.post(
        "/admin/evaluation/run/", {"action": action, "_selected_action": [run.pk]}, follow=True
    )

    run.refresh_from_db()
    assert f"1 {becomes}." in page.content.decode()
    assert becomes == ("published" if run.published_at else run.state)


def test_a_hidden_run_leaves_the_board(staff: Client) -> None:
    run = make.finished_run()

    staff.post("/admin/evaluation/run/", {"action": "hide", "_selected_action": [run.pk]})

    run.refresh_from_db()
    run.entry.refresh_from_db()
    assert run.hidden_at is not None
    assert run.entry.shown_run is None


def test_what_an_action_cannot_do_is_said(staff: Client) -> None:
    run = make.run(state="failed")

    page = staff.post(
        "/admin/evaluation/run/", {"action": "publish", "_selected_action": [run.pk]}, follow=True
    )

    assert "1 left as they are" in page.content.decode()
