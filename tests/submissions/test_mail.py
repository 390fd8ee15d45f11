"""Mail to submitters and moderators: what is told to whom, once, in words that cannot do harm."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from evaluation.models import Endpoint, Run
from evaluation.runner import transitions
from evaluation.services import publishing
from submissions import mailing, moderation
from submissions.models import MailChoice, Notice, Submission
from submissions.services import follow_runs
from tests import make

pytestmark = pytest.mark.django_db
HOSTILE = "Evil\r\nBcc: all@example.org\u202e\n\n<script>x</script>"


@pytest.fixture(autouse=True)
def site(settings: Settings) -> None:
    settings.CALLBOARD_URL = "https://callboard.example/"
    make.benchmark()


@pytest.fixture
def ada() -> User:
    return make.user("ada")


@pytest.fixture
def mia() -> User:
    return make.moderator("mia")


def started(owner: User, name: str | None = None) -> Run:
    """A run that somebody has submitted and that is under way."""
    run = make.run(make.entry(make.card(name, owner=owner)), state="running")
    Submission.objects.create(run=run, submitted_by=owner)
    follow_runs()
    return run


def finished(owner: User, name: str | None = None, **card: Any) -> Run:
    run = make.finished_run(make.entry(make.card(name, owner=owner, **card)), published=False)
    Submission.objects.create(run=run, submitted_by=owner)
    follow_runs()
    Notice.objects.filter(run=run).delete()  # that it has finished was told long ago
    return run


def told() -> list[tuple[str, str]]:
    """Follow the runs, send, and tell to whom which subject went since the last time."""
    follow_runs()
    mailing.send_due()
    found = [(one.to[0], str(one.subject)) for one in mail.outbox]
    mail.outbox.clear()
    return found


def later(hours: float = 1) -> None:
    """Time passes for everything that waits."""
    passed = timedelta(hours=hours)
    for one in Notice.objects.all():
        fields = {name: getattr(one, name) for name in ("due_at", "taken_at", "created_at")}
        moved = {name: value - passed for name, value in fields.items() if value}
        Notice.objects.filter(pk=one.pk).update(**moved)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (transitions.finish, "has finished"),
        (lambda run: transitions.finish(run, "3 cases are missing."), "has ended incomplete"),
        (lambda run: transitions.fail(run, "The key is rejected."), "has failed"),
    ],
)
def test_a_submitter_is_told_once_how_a_run_ended(ada: User, end: Any, said: str) -> None:
    run = started(ada)
    end(run)

    assert told() == [("ada@example.org", f"[Callboard] Run {run.pk} {said}")]
    assert told() == []


def test_a_mail_says_why_and_leads_to_the_run(ada: User) -> None:
    run = started(ada, "Example 7B")
    transitions.fail(run, "The endpoint rejects the key.")
    follow_runs()

    mailing.send_due()

    (sent,) = mail.outbox
    assert "Example 7B" in sent.body
    assert "> The endpoint rejects the key." in sent.body
    assert f"https://callboard.example/runs/{run.pk}/" in sent.body
    assert "https://callboard.example/account/mail/" in sent.body
    assert sent.message().get_content_type() == "text/plain"


def test_nothing_is_sent_before_the_task_runs(ada: User, mia: User) -> None:
    run = finished(ada)

    moderation.request(run)

    assert mail.outbox == []
    assert told() == [("mia@example.org", "[Callboard] Something waits for a moderator")]


def test_a_decision_that_is_rolled_back_tells_nobody(ada: User, mia: User) -> None:
    run = finished(ada)
    moderation.request(run)
    told()
    Run.objects.filter(pk=run.pk).update(counts=False)

    with pytest.raises(moderation.NotPossible):
        moderation.publish(run, by=mia)

    assert told() == []


def test_moderators_are_told_together_and_at_most_hourly(ada: User, mia: User) -> None:
    for name in ("One", "Two"):
        moderation.request(finished(ada, name))
    mailing.send_due()
    (first,) = mail.outbox
    mail.outbox.clear()
    moderation.request(finished(ada))
    at_once = told()
    later()

    assert "2 entries wait for a moderator" in first.body
    assert at_once == []
    assert told() == [("mia@example.org", "[Callboard] Something waits for a moderator")]


def test_what_has_been_decided_meanwhile_is_not_told(ada: User, mia: User) -> None:
    run = finished(ada)
    moderation.request(run)
    moderation.publish(run, by=mia)

    assert told() == [("ada@example.org", f"[Callboard] Run {run.pk} is published")]


def test_a_submitter_reads_question_refusal_and_reason(ada: User, mia: User) -> None:
    run = finished(ada)
    moderation.request(run)
    moderation.ask(run, "Whose is it?", by=mia)
    follow_runs()
    mailing.send_due()
    moderation.hide(run, "Answers of another.", by=mia)
    mailing.send_due()

    assert [one.subject for one in mail.outbox if one.to == ["ada@example.org"]] == [
        f"[Callboard] Run {run.pk}: a moderator asks",
        f"[Callboard] Run {run.pk}: not public, and why",
    ]
    assert "> Whose is it?" in mail.outbox[0].body
    assert "> Answers of another." in mail.outbox[1].body


def test_runs_that_finish_together_are_told_together(ada: User) -> None:
    runs = [started(ada, name) for name in ("One", "Two", "Three")]
    for run in runs:
        transitions.finish(run)
    follow_runs()

    mailing.send_due()

    (sent,) = mail.outbox
    assert sent.subject == "[Callboard] 3 runs have finished"
    assert [f"{name}, run" in sent.body for name in ("One", "Two", "Three")] == [True] * 3
    assert "https://callboard.example/submissions/" in sent.body


def test_a_question_that_is_answered_or_settled_by_now_is_not_sent(ada: User, mia: User) -> None:
    run = finished(ada)
    moderation.request(run)
    moderation.ask(run, "Whose is it?", by=mia)
    moderation.publish(run, by=mia)

    assert told() == [("ada@example.org", f"[Callboard] Run {run.pk} is published")]


def test_an_answer_waits_again_and_tells_moderators_again(ada: User, mia: User) -> None:
    run = finished(ada)
    moderation.request(run)
    moderation.ask(run, "Whose is it?", by=mia)
    told()

    moderation.answer(run, "Mine.")

    assert ("mia@example.org", "[Callboard] Something waits for a moderator") in told()


def test_a_banned_account_is_told_why(ada: User, mia: User) -> None:
    moderation.ban(ada, "Made-up files.", by=mia)

    follow_runs()
    mailing.send_due()

    (sent,) = mail.outbox
    assert sent.to == ["ada@example.org"]
    assert "> Made-up files." in sent.body


def test_a_pause_is_told_when_it_lasts_and_once_a_day(ada: User) -> None:
    run = started(ada)
    transitions.pause(run, "20 requests failed in a row.")
    at_first = told()
    later(0.25)
    when_it_lasts = told()
    transitions.go_on(run)
    transitions.pause(run, "Once more.")
    later(0.25)

    assert at_first == []
    assert when_it_lasts == [("ada@example.org", f"[Callboard] Run {run.pk} stands still")]
    assert told() == []


def test_a_pause_that_is_over_or_wished_is_not_told(ada: User) -> None:
    over, wished = started(ada), started(ada)
    transitions.pause(over, "20 requests failed in a row.")
    transitions.pause(wished, "Paused on request.", by_owner=True)
    follow_runs()
    transitions.go_on(over)
    later()

    assert told() == []


@pytest.mark.parametrize(
    ("declined", "left"),
    [("runs", "may not submit"), ("decisions", "has finished"), ("queue", "")],
)
def test_mail_can_be_declined_by_kind(
    client: Client, ada: User, mia: User, declined: str, left: str
) -> None:
    client.force_login(ada)
    wanted = {name: "on" for name in ("runs", "decisions", "queue") if name != declined}
    client.post("/account/mail/", wanted)
    run = started(ada)
    transitions.finish(run)
    moderation.ban(ada, "Made-up files.", by=mia)

    got = [subject for address, subject in told() if address == "ada@example.org"]

    assert len(got) == (1 if left else 2)
    assert all(left in subject for subject in got)


def test_the_page_shows_what_was_chosen(client: Client, ada: User) -> None:
    client.force_login(ada)

    client.post("/account/mail/", {"runs": "on"})

    form = client.get("/account/mail/").context["form"]
    assert form.initial == {"runs": True, "decisions": False, "queue": False}
    assert MailChoice.objects.get().runs


def test_only_verified_addresses_of_active_accounts_get_mail(ada: User) -> None:
    EmailAddress.objects.update(verified=False)
    transitions.finish(started(ada))
    first = told()
    EmailAddress.objects.update(verified=True)
    User.objects.filter(pk=ada.pk).update(is_active=False)
    transitions.finish(started(ada))

    assert (first, told()) == ([], [])


def test_names_and_reasons_stand_in_no_header_and_hide_nothing(ada: User, mia: User) -> None:
    run = finished(ada, HOSTILE, slug="evil")
    moderation.request(run)
    moderation.hide(run, HOSTILE, by=mia)
    mailing.send_due()
    mine = next(one for one in mail.outbox if one.to == ["ada@example.org"])

    headers = dict(mine.message().items())

    assert "Bcc" not in headers
    assert "Evil" not in str(headers)
    assert "\u202e" not in mine.body
    assert "Evil Bcc: all@example.org" in mine.body
    assert not [line for line in mine.body.splitlines() if line.startswith(("Bcc", "<script"))]


def test_a_key_is_in_no_mail(ada: User) -> None:
    run = started(ada)
    Endpoint.objects.filter(runs=run).update(sealed_key=b"sk-planted-012345", key_last_four="2345")
    transitions.fail(run, "The endpoint rejects the key.")
    follow_runs()
    mailing.send_due()

    assert "2345" not in str(mail.outbox[0].message())


def test_while_the_server_cannot_be_reached_mail_waits(ada: User, settings: Settings) -> None:
    transitions.finish(started(ada))
    follow_runs()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # nobody listens there

    sent = mailing.send_due()
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"

    assert sent == 0
    assert len(told()) == 1


def test_what_was_taken_by_a_worker_that_died_is_never_sent_again(ada: User) -> None:
    transitions.finish(started(ada))
    follow_runs()

    mailing._take()  # and then the machine loses power

    assert told() == []


def test_old_news_are_not_sent_and_old_notices_not_kept(ada: User) -> None:
    transitions.finish(started(ada))
    follow_runs()
    later(24 * 4)
    first = told()
    later(24 * 31)
    mailing.send_due()

    assert first == []
    assert not Notice.objects.exists()


def test_a_run_of_the_operator_s_command_tells_nobody() -> None:
    run = make.run(state="running", owner=None)
    transitions.finish(run)

    assert told() == []


def test_a_published_run_that_needed_no_moderator_tells_nobody(ada: User) -> None:
    run = finished(ada)
    publishing.publish(run)

    assert told() == []


def test_the_task_is_in_the_schedule() -> None:
    from leaderboard.celery import SCHEDULE

    assert SCHEDULE["send-mail"]["task"] == "submissions.tasks.send_mail"


def test_a_person_who_is_told_takes_it_along(ada: User) -> None:
    from submissions.leaving import all_about

    run = started(ada)
    transitions.finish(run)
    follow_runs()

    (told,) = all_about(ada)["notices"]
    kept = Notice.objects.get()
    assert (told["kind"], told["run"], told["created_at"]) == ("finished", run.pk, kept.created_at)
