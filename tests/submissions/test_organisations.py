"""Organisations: roles decide who sees, steers and invites; an address confirms a domain."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

from evaluation import policy
from evaluation.models import Endpoint, ModelCard, Run
from submissions import identity, organisations
from submissions.models import Invitation, Membership, Organisation, Role, Submission
from submissions.terms import VERSION
from tests import make
from tests.submissions.answers import good_answers

pytestmark = pytest.mark.django_db
ROOT = "/account/organisations/"


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def lab(**roles: User) -> Organisation:
    """“Example Lab” with an owner, ada, and others by role."""
    made = organisations.found("Example Lab", "", by=make.user("ada"))
    for role, user in roles.items():
        organisations.set_role(made, user, role)
    return made


def its_run(of: Organisation) -> Run:
    make.a_benchmark()
    submitter = Membership.objects.filter(organisation=of, role=Role.OWNER).first()
    assert submitter
    client = browser(submitter.user)
    answer = client.post("/submit/", good_answers(behalf=of.pk))
    assert answer.status_code == 302, answer.context["form"].errors
    return Run.objects.get()


def test_whoever_founds_an_organisation_owns_it() -> None:
    ada = make.user("ada")

    page = browser(ada).post(ROOT, {"name": "Example Lab", "domain": ""})

    assert page["Location"] == f"{ROOT}example-lab/"
    assert Membership.objects.get().role == Role.OWNER


@pytest.mark.parametrize("name", ["Example Lab", "EXAMPLE LAB", "!!!", ""])
def test_a_name_that_is_taken_or_empty_is_refused(name: str) -> None:
    lab()

    page = browser(make.user("bob")).post(ROOT, {"name": name})

    assert page.status_code == 422
    assert Organisation.objects.count() == 1


@pytest.mark.parametrize(
    "domain", ["gmail.com", "https://example.org", "example", "exa mple.org", "-a.org", "a..org"]
)
def test_a_domain_that_confirms_nothing_is_refused(domain: str) -> None:
    page = browser(make.user("ada")).post(ROOT, {"name": "Lab", "domain": domain})

    assert page.status_code == 422
    assert not Organisation.objects.exists()


def test_a_verified_address_of_its_domain_confirms_an_organisation() -> None:
    made = organisations.found("Example Lab", "example.org", by=make.user("ada"))

    assert made.is_confirmed
    assert made.confirmed_how == Organisation.Confirmed.DOMAIN


def test_an_unverified_address_or_a_look_alike_domain_confirms_nothing() -> None:
    ada = make.user("ada")
    EmailAddress.objects.update(verified=False)
    EmailAddress.objects.create(user=ada, email="ada@not-example.org", verified=True)

    made = organisations.found("Example Lab", "example.org", by=ada)

    assert not made.is_confirmed


def test_another_domain_takes_the_confirmation_away() -> None:
    made = organisations.found("Example Lab", "example.org", by=make.user("ada"))

    organisations.change_domain(made, "example.com")

    assert not made.is_confirmed


def test_a_submission_for_an_organisation_belongs_to_it_and_to_no_person() -> None:
    made = lab()

    run = its_run(made)

    submission = Submission.objects.get()
    endpoint, card = Endpoint.objects.get(), ModelCard.objects.get()
    assert run.owner is endpoint.owner is card.owner is None
    assert run.share_key == f"organisation:{made.pk}"
    assert submission.organisation == made
    assert submission.terms == VERSION
    assert endpoint.stewards == card.stewards == made.stewards


@pytest.mark.parametrize(
    ("role", "sees", "steers"),
    [("owner", True, True), ("submitter", True, True), ("viewer", True, False)],
)
def test_a_role_decides_who_sees_and_who_steers(role: str, sees: bool, steers: bool) -> None:
    bob = make.user("bob")
    made = lab(submitter=make.user("eve"))
    organisations.set_role(made, bob, role)
    run = its_run(made)

    page = browser(bob).get(f"/runs/{run.pk}/").status_code == 200
    acted = browser(bob).post(f"/runs/{run.pk}/cancel/").status_code == 302

    assert (page, acted) == (sees, steers)
    assert policy.may_see_run(bob, run) == sees
    assert policy.may_control_run(bob, run) == steers
    assert (run in policy.own_runs(bob)) == sees


def test_strangers_see_nothing_of_it() -> None:
    made = lab()
    run = its_run(made)
    stranger = browser(make.user("eve"))

    assert stranger.get(f"/runs/{run.pk}/").status_code == 404
    assert stranger.get(f"{ROOT}{made.slug}/").status_code == 404
    assert stranger.post("/submit/", good_answers(behalf=made.pk)).status_code == 422


def test_who_leaves_sees_its_runs_no_longer() -> None:
    bob = make.user("bob")
    made = lab(submitter=bob)
    run = its_run(made)

    place = Membership.objects.get(user=bob)
    browser(bob).post(f"{ROOT}{made.slug}/members/{place.pk}/", {"role": "remove"})

    assert not policy.may_see_run(bob, run)
    assert not policy.may_control_run(bob, run)


def test_a_run_of_several_members_is_listed_once() -> None:
    made = lab(submitter=make.user("bob"), viewer=make.user("eve"))
    run = its_run(made)

    assert list(policy.visible_runs(User.objects.get(username="bob"))) == [run]


def test_the_last_owner_can_neither_leave_nor_step_down() -> None:
    made = lab()
    place = Membership.objects.get()

    for role in ("remove", "viewer"):
        page = browser(place.user).post(
            f"{ROOT}{made.slug}/members/{place.pk}/", {"role": role}, follow=True
        )
        assert "make somebody else one first" in page.content.decode()

    assert Membership.objects.get().role == Role.OWNER


@pytest.mark.parametrize("role", ["submitter", "viewer"])
def test_only_owners_invite_and_change_roles(role: str) -> None:
    bob = make.user("bob")
    made = lab(**{role: bob})
    place = Membership.objects.get(user=bob)
    client = browser(bob)

    answers = [
        client.post(f"{ROOT}{made.slug}/", {"email": "x@example.org", "role": "owner"}),
        client.post(f"{ROOT}{made.slug}/members/{place.pk}/", {"role": "owner"}),
        client.post(f"{ROOT}{made.slug}/domain/", {"domain": "example.org"}),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404]
    assert not Invitation.objects.exists()


def invited(role: str = "submitter") -> str:
    """The path in the mail that bob gets."""
    made = lab()
    owner = browser(User.objects.get(username="ada"))
    owner.post(f"{ROOT}{made.slug}/", {"email": "bob@example.org", "role": role})
    assert mail.outbox[-1].to == ["bob@example.org"]
    link = re.search(r"http://testserver(/\S+)", str(mail.outbox[-1].body))
    assert link
    return link.group(1)


def test_a_name_of_several_lines_adds_nothing_to_the_head_of_a_mail() -> None:
    owner = browser(make.user("ada"))
    page = owner.post(ROOT, {"name": "Lab\r\nBcc: all@example.org", "domain": ""})

    owner.post(page["Location"], {"email": "bob@example.org", "role": "submitter"})

    assert mail.outbox[0].subject == "[Callboard] An invitation to Lab Bcc: all@example.org"
    assert mail.outbox[0].recipients() == ["bob@example.org"]


def test_an_invitation_makes_a_member_once() -> None:
    path, bob = invited(), make.user("bob")

    shown = browser(bob).get(path)
    browser(bob).post(path)
    again = browser(make.user("eve")).post(path)

    assert "Join Example Lab?" in shown.content.decode()
    assert Membership.objects.get(user=bob).role == Role.SUBMITTER
    assert again.status_code == 404


def test_an_invitation_ends_after_a_week_and_when_it_is_withdrawn() -> None:
    path = invited()
    bob = browser(make.user("bob"))
    offer = Invitation.objects.get()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    late = bob.get(path).status_code
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1))
    in_time = bob.get(path).status_code

    owner = browser(User.objects.get(username="ada"))
    owner.post(f"{ROOT}example-lab/invitations/{offer.pk}/withdraw/")

    assert (late, in_time, bob.get(path).status_code) == (404, 200, 404)


def test_the_database_does_not_hold_what_opens_an_invitation() -> None:
    secret = invited().rstrip("/").rsplit("/", 1)[-1]

    assert secret not in str(Invitation.objects.values_list())


def test_a_card_says_who_submitted_it_and_whether_that_is_confirmed() -> None:
    made = organisations.found("Example Institute", "example.org", by=make.user("ada"))
    its_run(made)

    submitter = identity.submitter_of(ModelCard.objects.get())

    assert submitter is not None
    assert (submitter.name, submitter.is_confirmed) == ("Example Institute", True)
    assert submitter.is_maker
    assert submitter.how == "by an owner’s mail at example.org"


def test_the_page_of_a_model_says_who_submitted_it(client: Client) -> None:
    own = make.finished_run(make.entry(make.card("Own", owner=make.user("ada"))))

    text = client.get(f"/models/{own.entry.card.slug}/").content.decode()

    assert "Submitted by ada, a person’s account" in text
    assert "the submitter’s word" in text


def test_a_moderator_confirms_an_organisation_by_hand() -> None:
    made = lab()

    browser(make.user("mod", staff=True)).post(
        "/admin/submissions/organisation/", {"action": "confirm", "_selected_action": made.pk}
    )

    made.refresh_from_db()
    assert made.confirmed_how == Organisation.Confirmed.MODERATOR


def test_terms_that_are_not_accepted_stop_a_submission() -> None:
    make.benchmark()

    page = browser(make.user("ada")).post("/submit/", good_answers(terms=None))

    assert page.status_code == 422
    assert "Accept the terms" in page.content.decode()
    assert not Run.objects.exists()


def test_an_only_owner_with_colleagues_cannot_delete_their_account_yet() -> None:
    from submissions import leaving

    lab(viewer=make.user("bob"))

    with pytest.raises(leaving.StillNeeded, match="only owner of Example Lab"):
        leaving.delete_account(User.objects.get(username="ada"))


def test_an_organisation_of_one_goes_with_its_owner_and_its_private_runs() -> None:
    from submissions import leaving

    its_run(lab())

    leaving.delete_account(User.objects.get(username="ada"))

    assert not Organisation.objects.exists()
    assert not Run.objects.exists()


def test_a_table_published_elsewhere_never_lands_on_an_organisation_s_card() -> None:
    from evaluation.services import cards

    its_run(lab())

    assert cards.ownerless_card("Example model").stewards is None


def test_members_see_the_card_before_anything_of_it_is_public() -> None:
    made = lab(viewer=make.user("bob"), submitter=make.user("eve"))
    its_run(made)
    path = f"/models/{ModelCard.objects.get().slug}/"

    answers = [
        browser(User.objects.get(username=name)).get(path).status_code for name in ("eve", "ada")
    ]

    assert answers == [200, 200]
    assert browser(make.user("stranger")).get(path).status_code == 404
