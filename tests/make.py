"""Typed builders of rows for tests: each makes what it needs and nothing else.

Everything is settable by keyword; what is left out is plausible and unique.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from evaluation.models import (
    Benchmark,
    Case,
    Category,
    CategoryScore,
    Endpoint,
    Entry,
    Evidence,
    Mode,
    ModelCard,
    Reply,
    Run,
    RunEvent,
    Scoring,
    Snapshot,
    Verdict,
)

CATEGORIES = {"simple_python": 4, "multiple": 3, "irrelevance": 3}
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

_numbers = itertools.count(1)


def user(name: str | None = None, *, staff: bool = False) -> User:
    """Somebody with the password “correct horse” and a verified address: they can sign in."""
    name = name or f"user-{next(_numbers)}"
    made = User.objects.create_user(
        name, f"{name}@example.org", "correct horse", is_staff=staff, is_superuser=staff
    )
    EmailAddress.objects.create(user=made, email=made.email, verified=True, primary=True)
    return made


def moderator(name: str | None = None) -> User:
    """Staff with the permission to moderate, and nothing else."""
    made = user(name)
    made.is_staff = True
    made.save()
    made.user_permissions.add(Permission.objects.get(codename="moderate_runs"))
    return User.objects.get(pk=made.pk)


def vouched_for(owner: User) -> Run:
    """A run of somebody that a moderator has published: from now on they are trusted."""
    from submissions.models import Publication

    made = finished_run(entry(card(owner=owner)))
    Publication.objects.create(run=made, state="published", decided_by=user(staff=True))
    return made


def card(name: str | None = None, *, owner: User | None = None, **fields: object) -> ModelCard:
    name = name or f"Model {next(_numbers)}"
    defaults: dict[str, object] = {
        "slug": name.lower().replace(" ", "-").replace(".", "-"),
        "organisation": "Example Lab",
        "licence": "Apache-2.0",
        "open_weights": True,
    }
    return ModelCard.objects.create(name=name, owner=owner, **(defaults | fields))


def endpoint(model: ModelCard | None = None, *, mode: str = Mode.FC, **fields: object) -> Endpoint:
    model = model or card()
    defaults: dict[str, object] = {
        "base_url": "http://127.0.0.1:9/v1",
        "remote_model": model.slug,
        "underscore": mode == Mode.FC,
        "owner": model.owner,
    }
    return Endpoint.objects.create(card=model, mode=mode, **(defaults | fields))


def benchmark(
    categories: Mapping[str, int] = CATEGORIES, *, slug: str = "bfcl-v4", **fields: object
) -> Benchmark:
    """A small benchmark whose cases are made up; it can be shown, not asked."""
    defaults: dict[str, object] = {
        "suite": slug,
        "title": "BFCL V4",
        "package": "bfcl-eval",
        "version": "2026.3.23",
        "digest": hashlib.sha256(f"{slug}{next(_numbers)}".encode()).hexdigest(),
        "licence": "Apache-2.0",
        "runnable": list(categories),
    }
    made = Benchmark.objects.create(slug=slug, **(defaults | fields))
    for position, (name, n) in enumerate(categories.items()):
        category(made, name, n, position)
    return made


def category(of: Benchmark, name: str, n: int, position: int) -> Category:
    made = Category.objects.create(
        benchmark=of,
        name=name,
        title=name.replace("_", " ").capitalize(),
        position=position,
        n=n,
        modes=["fc", "prompt"],
    )
    question = {
        "id": name,
        "question": [[{"role": "user", "content": "What is the weather in Bern?"}]],
        "function": [{"name": "weather", "description": "", "parameters": {}}],
    }
    Case.objects.bulk_create(
        Case(
            category=made,
            name=f"{name}_{number}",
            position=number,
            question=json.dumps(question | {"id": f"{name}_{number}"}),
            answer=json.dumps([{"weather": {"city": ["Bern"]}}]),
        )
        for number in range(n)
    )
    return made


def real_benchmark(categories: Mapping[str, int], *, suite: str = "bfcl-v4") -> Benchmark:
    """The first cases of real categories: they can be asked and judged."""
    from evaluation.services.benchmarks import as_rows
    from tests.suites import real_suite

    found = real_suite(suite)
    made = benchmark(
        dict.fromkeys(categories, 0), slug=suite, digest=found.source().digest, title=found.title
    )
    for row in made.categories.all():
        cases = found.cases(row.name)[: categories[row.name]]
        Case.objects.bulk_create(as_rows(row, cases))
        row.n = len(cases)
        row.save(update_fields=["n"])
    return made


def entry(
    model: ModelCard | None = None,
    on: Benchmark | None = None,
    *,
    mode: str = Mode.FC,
    evidence: str = Evidence.VERIFIED,
) -> Entry:
    return Entry.objects.create(
        card=model or card(), benchmark=on or a_benchmark(), mode=mode, evidence=evidence
    )


def a_benchmark() -> Benchmark:
    """The current benchmark of this test, made when there is none."""
    return Benchmark.objects.current().first() or benchmark()


def run(
    of: Entry | None = None,
    *,
    state: str = Run.State.QUEUED,
    categories: Mapping[str, int] | None = None,
    at: datetime | None = None,
    **fields: object,
) -> Run:
    """A run over whole categories (all by default) with an empty current scoring."""
    of = of or entry()
    rows = list(of.benchmark.categories.all())
    if categories is not None:
        rows = [row for row in rows if row.name in categories]
    configuration = json.dumps(
        {"benchmark": of.benchmark.slug, "mode": of.mode, "underscore": of.mode == "fc"}
    )
    at = at or timezone.now()
    ended = state not in Run.ACTIVE
    defaults: dict[str, object] = {
        "reason": "" if state in ("queued", "running", "finished") else "A test made it so.",
        "configuration": configuration,
        "configuration_sha256": hashlib.sha256(configuration.encode()).hexdigest(),
        "n": sum(row.n for row in rows),
        "started_at": None if state == Run.State.QUEUED else at,
        "finished_at": at if ended else None,
        "owner": of.card.owner,
    }
    if "endpoint" not in fields:
        defaults["endpoint"] = endpoint(of.card, mode=of.mode)
    made = Run.objects.create(entry=of, state=state, **(defaults | fields))
    made.categories.set(rows)
    RunEvent.objects.create(run=made, to_state=state, reason=made.reason)
    Scoring.objects.create(run=made, scorer_version="1")
    return made


def finished_run(
    of: Entry | None = None,
    accuracy: float | Mapping[str, float] = 0.5,
    *,
    month: int = 1,
    published: bool = True,
    unscored: int = 0,
    **fields: object,
) -> Run:
    """A run with verdicts: each category's share right, then `unscored` cases, the rest wrong.

    Published by default, in the given month of 2026, and then shown by its entry.
    """
    at = EPOCH + timedelta(days=30 * (month - 1))
    state = Run.State.INCOMPLETE if unscored else Run.State.FINISHED
    shares = accuracy if isinstance(accuracy, Mapping) else None
    chosen = None if shares is None else dict.fromkeys(shares, 0)
    made = run(of, state=state, categories=chosen, at=at, **fields)
    for row in made.categories.all():
        share = shares[row.name] if shares is not None else accuracy
        assert isinstance(share, float | int)
        score(made, row, correct=round(row.n * share), unscored=unscored)
    if published:
        made.published_at = at
        made.save(update_fields=["published_at"])
        Entry.objects.filter(pk=made.entry_id).update(shown_run=made)
    return made


def score(of: Run, row: Category, *, correct: int, unscored: int = 0) -> CategoryScore:
    """Verdicts and the category score of one category of a run."""
    scoring = of.scorings.get(is_current=True)
    cases = list(row.cases.all())
    unscored = min(unscored, len(cases) - correct)
    outcomes = ["correct"] * correct + ["unscored"] * unscored
    outcomes += ["wrong"] * (len(cases) - len(outcomes))
    Verdict.objects.bulk_create(
        Verdict(
            scoring=scoring,
            case=one,
            outcome=outcome,
            error_type="simple_function_checker:wrong_count" if outcome == "wrong" else "",
            fault="wrong_count" if outcome == "wrong" else "",
            message="No call was made." if outcome == "wrong" else "",
            attempts=1,
        )
        for one, outcome in zip(cases, outcomes, strict=True)
    )
    scored = len(cases) - unscored
    return CategoryScore.objects.create(
        scoring=scoring,
        category=row,
        n=len(cases),
        correct=correct,
        wrong=scored - correct,
        unscored=unscored,
        accuracy=correct / len(cases) if scored else None,
    )


def reply(of: Run, to: Case, body: bytes = b"", **fields: object) -> Reply:
    """An accepted answer to a case's first question; `body` is stored compressed."""
    import zlib

    defaults: dict[str, object] = {
        "request_sha256": "0" * 64,
        "status": 200,
        "accepted": True,
        "latency": 0.5,
        "sent_at": timezone.now(),
    }
    return Reply.objects.create(run=of, case=to, body=zlib.compress(body), **(defaults | fields))


def published_entry(
    name: str | None = None, figures: Mapping[str, float] | None = None, *, mode: str = Mode.FC
) -> Entry:
    """A row as the benchmark's own team published it: figures, no run."""
    made = entry(card(name), mode=mode, evidence=Evidence.PUBLISHED)
    snapshot, _ = Snapshot.objects.get_or_create(
        benchmark=made.benchmark,
        date=EPOCH.date(),
        defaults={"source": "https://example.org/table.csv", "digest": "0" * 64},
    )
    published_scores(snapshot, made, figures)
    return made


def published_scores(
    snapshot: Snapshot, of: Entry, figures: Mapping[str, float] | None = None
) -> None:
    """What a snapshot says of an entry: the shares given, and a half elsewhere."""
    for row in of.benchmark.categories.all():
        share = (figures or {}).get(row.name, 0.5)
        CategoryScore.objects.create(
            snapshot=snapshot, entry=of, category=row, n=row.n, accuracy=share
        )
