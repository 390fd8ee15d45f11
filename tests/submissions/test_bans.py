"""A ban holds for the person, not for an account; staff act in the admin as elsewhere."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Permission, User
from django.test import Client

from evaluation.models import Run
from submissions import bans, leaving, moderation, organisations
from submissions.models import BanMark, Membership, Publication, Role, Submission
from tests import make

pytestmark = pytest.mark.django_db
RUNS, USERS = "/admin/evaluation/run/", "/admin/auth/user/"


@pytest.fixture
def mia(client: Client) -> User:
    """A moderator, signed in."""
    mia = make.user("mia", staff=True)
    client.force_login(mia)
    return mia


def newcomer(address: str, *, verified: bool = True) -> User:
    made = User.objects.create_user("somebody-else", address)
    EmailAddress.objects.create(user=made, email=address, verified=verified, primary=True)
    return made


def banned(address: str, mia: User) -> User:
    made = make.user("ada")
    EmailAddress.objects.filter(user=made).update(email=address)
    moderation.ban(made, "Made-up results.", by=mia)
    return made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ada@example.org", "ada@example.org"),
        ("ada@example.org", "Ada@EXAMPLE.org"),
        ("ada@example.org", "ada+again@example.org"),
        ("ada.l@gmail.com", "adal+2@googlemail.com"),
    ],
)
def test_who_comes_back_with_the_same_mailbox_is_still_banned(
    before: str, after: str, mia: User
) -> None:
    leaving.delete_account(banned(before, mia))

    with pytest.raises(moderation.Banned, match="Made-up results"):
        moderation.refuse_banned(newcomer(after))


@pytest.mark.parametrize("after", ["a.da@example.org", "ada@example.com", "bob@example.org"])
def test_another_mailbox_is_another_person_s(after: str, mia: User) -> None:
    banned("ada@example.org", mia)

    moderation.refuse_banned(newcomer(after))


def test_an_address_that_is_not_verified_bans_nobody(mia: User) -> None:
    ada = make.user("ada")
    EmailAddress.objects.create(user=ada, email="victim@example.org", verified=False)

    moderation.ban(ada, "Made-up results.", by=mia)

    moderation.refuse_banned(newcomer("victim@example.org"))


def test_who_comes_back_through_the_same_github_account_is_still_banned(mia: User) -> None:
    ada = make.user("ada")
    SocialAccount.objects.create(user=ada, provider="github", uid="42")
    moderation.ban(ada, "Made-up results.", by=mia)
    leaving.delete_account(ada)
    back = newcomer("new@example.org")
    SocialAccount.objects.create(user=back, provider="github", uid="42")

    with pytest.raises(moderation.Banned):
        moderation.refuse_banned(back)


def test_no_address_is_kept_of_who_has_left(mia: User) -> None:
    leaving.delete_account(banned("ada@example.org", mia))

    kept = " ".join(f"{mark.digest} {mark.reason}" for mark in BanMark.objects.all())

    assert BanMark.objects.count() == 1
    assert "ada@" not in kept


@pytest.mark.parametrize("door", ["ask-again", "key"])
def test_a_banned_account_has_nothing_asked_again(mia: User, client: Client, door: str) -> None:
    ada = banned("ada@example.org", mia)
    run = make.run(make.entry(make.card(owner=ada)), state="incomplete", endpoint=make.endpoint())
    Submission.objects.create(submitted_by=ada, run=run)
    client.force_login(ada)

    page = client.post(f"/runs/{run.pk}/{door}/", {"key": "sk-0123456789abcdef"}, follow=True)

    run.refresh_from_db()
    assert run.state == "incomplete"
    assert "Made-up results." in page.content.decode()


def test_a_lifted_ban_is_lifted_for_every_account_of_theirs(mia: User, client: Client) -> None:
    leaving.delete_account(banned("ada@example.org", mia))
    back = newcomer("ada@example.org")

    client.post(USERS, {"action": "lift_ban", "_selected_action": [back.pk]})

    assert bans.reason_against(back) == ""


def test_an_account_deleted_in_the_admin_leaves_as_if_its_owner_had_left(
    mia: User, client: Client
) -> None:
    ada = make.user("ada")
    run = make.run(make.entry(make.card(owner=ada)), state="running")
    Submission.objects.create(submitted_by=ada, run=run)

    client.post(f"{USERS}{ada.pk}/delete/", {"post": "yes"})

    assert not User.objects.filter(username="ada").exists()
    assert not Run.objects.filter(pk=run.pk).exists()


@pytest.mark.parametrize("at_once", [False, True], ids=["its-own-page", "of-a-list"])
def test_an_account_that_others_need_is_not_deleted_in_the_admin_and_nothing_says_it_was(
    mia: User, client: Client, at_once: bool
) -> None:
    ada, bob = make.user("ada"), make.user("bob")
    lab = organisations.found("Example Lab", "", by=ada)
    Membership.objects.create(organisation=lab, user=bob, role=Role.VIEWER)
    path = USERS if at_once else f"{USERS}{ada.pk}/delete/"
    chosen = {"action": "delete_selected", "_selected_action": [bob.pk, ada.pk]}

    said = client.post(path, {"post": "yes"} | chosen, follow=True).content.decode()

    assert User.objects.filter(username__in=["ada", "bob"]).count() == 2
    assert "the only owner of Example Lab" in said
    assert "uccessfully deleted" not in said
    assert "deleted successfully" not in said


def test_staff_who_may_only_look_at_accounts_lift_no_ban(mia: User, client: Client) -> None:
    ada = banned("ada@example.org", mia)
    looks = make.user("looks")
    looks.is_staff = True
    looks.save()
    looks.user_permissions.add(Permission.objects.get(codename="view_user"))
    client.force_login(looks)

    client.post(USERS, {"action": "lift_ban", "_selected_action": [ada.pk]})

    assert bans.reason_against(ada)


def act(client: Client, action: str, run: Run) -> str:
    chosen = {"action": action, "_selected_action": [run.pk]}
    return client.post(RUNS, chosen, follow=True).content.decode()


def test_what_is_hidden_in_the_admin_is_hidden_for_moderators_too(
    mia: User, client: Client
) -> None:
    run = make.vouched_for(make.user("ada"))

    said = act(client, "hide", run)

    decided = Publication.objects.get(run=run)
    assert "1 hidden." in said
    assert (decided.state, decided.decided_by) == (Publication.State.HIDDEN, mia)
    with pytest.raises(moderation.NotPossible):
        moderation.request(run)


def test_what_is_published_in_the_admin_is_published_for_moderators_too(
    mia: User, client: Client
) -> None:
    run = make.finished_run(make.entry(make.card(owner=make.user("ada"))), published=False)
    moderation.request(run)

    act(client, "publish", run)

    decided = Publication.objects.get(run=run)
    run.refresh_from_db()
    assert run.published_at is not None
    assert (decided.state, decided.decided_by) == (Publication.State.PUBLISHED, mia)


def test_what_its_submitter_has_withdrawn_is_not_published_in_the_admin(
    mia: User, client: Client
) -> None:
    run = make.vouched_for(make.user("ada"))
    moderation.withdraw(run)

    said = act(client, "publish", run)

    run.refresh_from_db()
    assert "Its submitter has withdrawn it." in said
    assert run.hidden_at is not None
