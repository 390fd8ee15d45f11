"""What becomes public by itself, what waits, and what moderators decide."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from evaluation.models import Benchmark, Case, Entry, Run
from submissions import moderation, organisations
from submissions.doubts import FILES, FIRST, HIDDEN_BEFORE, plain
from submissions.models import Ban, Publication
from tests import make
from tests.submissions.answers import good_answers

pytestmark = pytest.mark.django_db
State = Publication.State


@pytest.fixture
def ada() -> User:
    make.benchmark()
    return make.user("ada")


@pytest.fixture
def mia() -> User:
    return make.moderator("mia")


def own_run(owner: User, name: str | None = None, **card: Any) -> Run:
    return make.finished_run(make.entry(make.card(name, owner=owner, **card)), published=False)


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def is_public(run: Run) -> bool:
    run.refresh_from_db()
    shown = Entry.objects.get(pk=run.entry_id).shown_run_id == run.pk
    return shown and Client().get(f"/runs/{run.pk}/").status_code == 200


def test_a_new_account_s_first_entry_waits(ada: User) -> None:
    run = own_run(ada)

    page = signed_in(ada).post(f"/runs/{run.pk}/publish/", follow=True)

    assert "A moderator looks at it before it is public." in page.content.decode()
    assert run.publication.state == State.WAITING
    assert run.publication.doubts == FIRST
    assert not is_public(run)


def test_a_moderator_publishes_it_and_the_next_needs_none(ada: User, mia: User) -> None:
    first, second = own_run(ada), own_run(ada)
    moderation.request(first)

    signed_in(mia).post(f"/moderation/runs/{first.pk}/publish/")
    moderation.request(second)

    assert is_public(first)
    assert is_public(second)
    assert second.publication.decided_by is None


def test_a_moderator_s_own_entries_publish_themselves(mia: User) -> None:
    make.benchmark()
    run = own_run(mia)

    moderation.request(run)

    assert is_public(run)


def test_asking_twice_is_once(ada: User) -> None:
    run = own_run(ada)

    assert moderation.request(run) == moderation.request(run)


def test_an_organisation_is_trusted_by_its_own_entries(ada: User, mia: User) -> None:
    lab = organisations.found("Lab", "", by=ada)
    make.vouched_for(ada)
    run = own_run(ada)
    Run.objects.filter(pk=run.pk).update(owner=None, stewards=lab.stewards)

    publication = moderation.request(run)

    assert publication.doubts == FIRST


@pytest.mark.parametrize("name", ["Example 7B", "example-7b", "EXAMPLE７B", "éxample 7b"])
def test_a_name_that_is_taken_goes_to_a_moderator(ada: User, name: str) -> None:
    make.card("Example 7B", owner=make.user())
    make.vouched_for(ada)
    run = own_run(ada, name, slug="another")

    publication = moderation.request(run)

    assert publication.state == State.WAITING
    assert "The name is that of another model on this board: Example 7B." in publication.doubts


@pytest.mark.parametrize(
    ("name", "maker"), [("Some model", "OpenThink"), ("OpenThink-3", "Me"), ("M", "open think")]
)
def test_a_known_vendor_s_name_goes_to_a_moderator(ada: User, name: str, maker: str) -> None:
    published = make.published_entry("Reference")
    published.card.organisation = "OpenThink"
    published.card.save()
    make.vouched_for(ada)

    publication = moderation.request(own_run(ada, name, organisation=maker))

    assert "It bears the name of OpenThink" in publication.doubts


def test_a_confirmed_vendor_may_use_its_own_name(ada: User) -> None:
    published = make.published_entry("Reference")
    published.card.organisation = "OpenThink"
    published.card.save()
    lab = organisations.found("OpenThink", "", by=ada)
    organisations.confirm(lab, "moderator")
    before, run = make.vouched_for(ada), own_run(ada, "OpenThink-3", organisation="OpenThink")
    Run.objects.filter(pk__in=(before.pk, run.pk)).update(owner=None, stewards=lab.stewards)
    run.entry.card.owner, run.entry.card.stewards = None, lab.stewards
    run.entry.card.save()

    assert moderation.request(run).state == State.PUBLISHED


def test_a_taken_name_can_be_submitted_and_gets_an_address_of_its_own(ada: User) -> None:
    make.card("Example model", owner=make.user())

    signed_in(ada).post("/submit/", good_answers())

    assert Run.objects.get().entry.card.slug == "example-model-2"


def test_what_a_moderator_asks_is_answered_and_waits_again(ada: User, mia: User) -> None:
    run = own_run(ada)
    moderation.request(run)

    signed_in(mia).post(f"/moderation/runs/{run.pk}/ask/", {"text": "Whose is <b>this</b>?"})
    page = signed_in(ada).get(f"/runs/{run.pk}/").content.decode()
    signed_in(ada).post(f"/runs/{run.pk}/answer/", {"text": "Mine."})

    run.publication.refresh_from_db()
    assert "Whose is &lt;b&gt;this&lt;/b&gt;?" in page
    assert (run.publication.state, run.publication.answer) == (State.WAITING, "Mine.")
    assert "Mine." in signed_in(mia).get("/moderation/").content.decode()


def test_a_hidden_entry_leaves_a_tombstone_with_its_reason(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)

    signed_in(mia).post(f"/moderation/runs/{run.pk}/hide/", {"text": "Answers of another."})

    gone, model = Client().get(f"/runs/{run.pk}/"), Client().get(f"/models/{run.entry.card.slug}/")
    assert not is_public(run)
    assert gone.status_code == 410
    assert "Answers of another." in gone.content.decode()
    assert model.status_code == 410
    assert "Answers of another." in model.content.decode()
    assert signed_in(ada).get(f"/runs/{run.pk}/").status_code == 200


def test_nothing_of_a_tombstone_but_its_reason_is_public(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)
    moderation.hide(run, "Wrong.", by=mia)

    paths = [
        f"/runs/{run.pk}/samples.csv",
        f"/runs/{run.pk}/export.zip",
        f"/runs/{run.pk}/samples.ndjson",
    ]

    assert {Client().get(path).status_code for path in paths} == {404}


def test_a_submitter_withdraws_and_a_tombstone_stays(ada: User) -> None:
    run = make.vouched_for(ada)

    signed_in(ada).post(f"/runs/{run.pk}/withdraw/")

    gone = Client().get(f"/runs/{run.pk}/")
    assert gone.status_code == 410
    assert moderation.WITHDRAWN in gone.content.decode()


def test_a_wish_that_is_taken_back_leaves_nothing(ada: User) -> None:
    run = own_run(ada)
    moderation.request(run)

    signed_in(ada).post(f"/runs/{run.pk}/withdraw/")

    assert Client().get(f"/runs/{run.pk}/").status_code == 404
    assert moderation.request(run).state == State.WAITING


def test_a_moderator_can_put_a_hidden_entry_back(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)
    moderation.hide(run, "By mistake.", by=mia)

    moderation.publish(run, by=mia)

    assert is_public(run)


def test_after_a_hidden_entry_the_next_ones_wait(ada: User, mia: User) -> None:
    make.vouched_for(ada)
    moderation.hide(make.vouched_for(ada), "Made up.", by=mia)

    assert moderation.request(own_run(ada)).doubts == HIDDEN_BEFORE


def test_hiding_without_a_reason_changes_nothing(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)

    page = signed_in(mia).post(f"/moderation/runs/{run.pk}/hide/", {"text": " "}, follow=True)

    assert "Write a sentence first" in page.content.decode()
    assert is_public(run)


def test_a_banned_account_can_neither_submit_nor_publish(ada: User, mia: User) -> None:
    waiting, active = own_run(ada), make.run(make.entry(make.card(owner=ada)), state="running")
    moderation.request(waiting)
    waiting.submission = moderation_submission(waiting, ada)
    moderation_submission(active, ada)

    signed_in(mia).post(f"/moderation/runs/{waiting.pk}/ban/", {"text": "Made-up files."})

    page = signed_in(ada).post("/submit/", good_answers())
    active.refresh_from_db()
    assert page.status_code == 422
    assert "may not submit or publish any more: Made-up files." in page.content.decode()
    assert active.state == Run.State.CANCELLED
    assert Publication.objects.get(run=waiting).state == State.HIDDEN


def moderation_submission(run: Run, by: User) -> Any:
    from submissions.models import Submission

    return Submission.objects.create(run=run, submitted_by=by)


def test_a_ban_can_be_lifted_and_moderators_cannot_be_banned(ada: User, mia: User) -> None:
    moderation.ban(ada, "A mistake.", by=mia)

    moderation.lift_ban(ada)

    assert not Ban.objects.exists()
    with pytest.raises(moderation.NotPossible):
        moderation.ban(mia, "No.", by=mia)


def test_the_queue_costs_the_same_queries_for_any_number_of_entries(
    ada: User, mia: User, django_assert_max_num_queries: Any
) -> None:
    for _ in range(6):
        moderation.request(own_run(ada))
    client = signed_in(mia)

    with django_assert_max_num_queries(9):
        page = client.get("/moderation/")

    assert "6 waiting" in page.content.decode()


def test_names_are_compared_by_letters_and_digits_alone() -> None:
    assert plain("Éxample-７b (FC)") == plain("example 7B fc")


def test_an_upload_with_striking_signs_waits_even_if_trusted(ada: User) -> None:
    Benchmark.objects.all().delete()
    make.benchmark({"simple_python": 30})
    make.vouched_for(ada)
    entry = make.entry(make.card(owner=ada), evidence="uploaded")
    run = make.finished_run(entry, published=False, endpoint=None)
    for case in Case.objects.filter(category__runs=run):
        make.reply(run, case, b'[{"weather": "{\\"city\\": \\"Bern\\"}"}]')

    assert moderation.request(run).doubts == FILES


def test_an_appeal_s_outcome_replaces_the_public_reason(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)
    moderation.hide(run, "Made up.", by=mia)

    moderation.hide(run, "Confirmed on appeal: made up.", by=mia)

    assert "Confirmed on appeal" in Client().get(f"/runs/{run.pk}/").content.decode()


def test_no_moderator_publishes_what_its_submitter_has_withdrawn(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)
    moderation.withdraw(run)

    with pytest.raises(moderation.NotPossible, match="withdrawn"):
        moderation.publish(run, by=mia)

    assert not is_public(run)


def test_the_api_tells_why_a_run_is_gone(ada: User, mia: User) -> None:
    run = make.vouched_for(ada)
    moderation.hide(run, "Wrong.", by=mia)

    told = Client().get(f"/api/v1/runs/{run.pk}/")

    assert told.status_code == 410
    assert told.json()["detail"] == "Wrong."
