"""API-Bank end to end: its data loaded, endpoints asked, judged in both profiles, and shown."""

from __future__ import annotations

import csv
import io
import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pyarrow import parquet

from evaluation.benchmarks import suite
from evaluation.benchmarks.bfcl_v4 import vectors
from evaluation.engine.play import Ask
from evaluation.engine.types import CaseData, Mode, Setup
from evaluation.models import Benchmark, ColumnSet, Entry, Erratum, Run, Scoring
from evaluation.runner.process import WorkerProcess
from evaluation.services import column_sets, publishing, scheduling, scoring
from tests import make
from tests.evaluation import runs
from tests.evaluation.benchmarks.apibank.layout import pack
from tests.fakes import FakeEndpoint, Request, Script, Scripted, completion

SUITE = suite("apibank")
FREE = "level_3_free"
# Small ones of every level: among them calls that one profile or the other excludes.
SOME = ("level_1_smart_home", "level_2_finance", "level_3_leisure")

# A search whose words the encoder understands and the lexical index does not.
ENCODERS_CASE = "L2.ModifyRegistration-level-3-1.2"
ENCODERS_KEYWORDS = "modify appointment tool"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(corpora: Path, tmp_path: Path) -> Iterator[str]:
    """The pinned commit's archive and the tasks it lacks, served on loopback."""
    data = corpora / "apibank" / "data"
    pack(data, tmp_path / "483554ea.tar.gz")
    shutil.copyfile(data / "test-data" / "level-3.json", tmp_path / "level-3.json")
    handler = partial(QuietHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the data will be installed; nothing is there yet."""
    monkeypatch.setenv("CALLBOARD_DATA", str(tmp_path / "data"))
    for part in ("tree", "extras"):  # they follow what is installed: back to what they were, then
        monkeypatch.setattr(SUITE, part, getattr(SUITE, part))
    return tmp_path / "data"


@pytest.fixture
def benchmark(transactional_db: None, data: Path, corpora: Path) -> Benchmark:
    call_command("load_benchmark", "apibank", source=str(corpora / "apibank"), stdout=StringIO())
    return Benchmark.objects.get(suite="apibank")


def first_messages(case: CaseData, setup: Setup) -> str:
    step = next(SUITE.play(case, setup))
    assert isinstance(step, Ask)
    return json.dumps([dict(message) for message in step.question.messages])


def as_reply(tool: str, record: Any, mode: Mode) -> Scripted:
    values = record["input"] or {}
    if mode is Mode.FC:
        return completion(calls={tool: json.dumps(values)})
    inner = ", ".join(f"{key}='{value}'" for key, value in values.items())
    return completion(f"[{tool}({inner})]")


def knows_every_answer(mode: Mode, names: tuple[str, ...] = SOME) -> Script:
    """A model that makes the recorded call."""
    setup = Setup(mode)
    gold = {
        first_messages(case, setup): case.answer["gold"]
        for name in names
        for case in SUITE.cases(name)
    }

    def reply(request: Request) -> Scripted:
        due = gold[json.dumps(request.json["messages"])]
        return as_reply(due["tool"], due["record"], mode)

    return reply


def solves(case: CaseData) -> Script:
    """A model that searches for each tool of a task, calls it, and says so in the end."""

    def reply(request: Request) -> Scripted:
        done = sum(message["role"] == "assistant" for message in request.json["messages"])
        if done >= 2 * len(case.answer["due"]):
            return completion("I have done it.")
        due = case.answer["due"][done // 2]
        if done % 2:
            return as_reply(due["tool"], due["record"], Mode.FC)
        return completion(calls={"ToolSearcher": json.dumps({"keywords": due["tool"]})})

    return reply


def finished(
    benchmark: Benchmark,
    worker: WorkerProcess,
    script: Script,
    *,
    mode: Mode = Mode.FC,
    categories: tuple[str, ...] = SOME,
    cases: list[int] | None = None,
) -> Run:
    with FakeEndpoint(script=script) as endpoint:
        run = scheduling.schedule(
            make.endpoint(base_url=endpoint.base_url, mode=mode),
            benchmark=benchmark,
            categories=categories,
            cases=cases,
        )
        return runs.work_through(run, worker, endpoint)


def figures(scored: Scoring) -> dict[str, tuple[int, int | None]]:
    rows = scored.category_scores.filter(n__gt=0)
    return {
        name: (n, right) for name, n, right in rows.values_list("category__name", "n", "correct")
    }


def judged_beside(run: Run) -> Scoring:
    publishing.publish(run)
    scoring.judge_here(run.scorings.filter(due__isnull=False))
    return run.scorings.get(profile="upstream")


@pytest.mark.django_db
def test_data_from_a_tarball_on_the_net_is_loaded_with_its_licence_and_errata(
    data: Path, address: str
) -> None:
    said = StringIO()

    archive, tasks = f"{address}/483554ea.tar.gz", f"{address}/level-3.json"
    call_command("load_benchmark", "apibank", source=archive, tasks=tasks, stdout=said)

    assert "Apache-2.0" in said.getvalue()
    assert "1331 cases in 20 categories" in said.getvalue()
    excluded = Erratum.objects.filter(is_excluded=True)
    assert excluded.filter(profile="repaired").count() == 18 + 528
    assert excluded.filter(profile="upstream").count() == 218 + 528


@pytest.mark.django_db
def test_the_archive_alone_loads_two_levels_and_the_third_is_not_available(
    data: Path, address: str, client: Client
) -> None:
    said = StringIO()

    call_command("load_benchmark", "apibank", source=f"{address}/483554ea.tar.gz", stdout=said)

    benchmark = Benchmark.objects.get(suite="apibank")
    out = benchmark.categories.exclude(unavailable="").values_list("name", flat=True)
    board = client.get("/apibank/")
    assert "986 cases in 14 categories" in said.getvalue()
    assert "--tasks https://" in said.getvalue()
    assert len(out) == 8
    assert all(name.startswith("level_3_") for name in out)
    assert board.status_code == 200


@pytest.mark.django_db
def test_without_data_the_command_and_the_site_say_how_to_get_it(
    data: Path, client: Client
) -> None:
    with pytest.raises(CommandError, match="load_benchmark apibank --source"):
        call_command("load_benchmark", "apibank")

    page = client.get("/methodology/").content.decode()
    assert "load_benchmark apibank --source https://github.com/" in page
    assert client.get("/apibank/").status_code == 404


@pytest.mark.parametrize("mode", list(Mode))
def test_every_level_is_asked_and_judged_in_two_profiles(
    benchmark: Benchmark, worker: WorkerProcess, mode: Mode
) -> None:
    run = finished(benchmark, worker, knows_every_answer(mode), mode=mode)

    beside = judged_beside(run)

    assert (run.state, run.n) == ("finished", 3 + 3 + 15)
    usual = run.scorings.get(is_current=True)
    assert usual.profile == "repaired"
    assert figures(usual) == {
        "level_1_smart_home": (3, 3),
        "level_2_finance": (3, 3),
        "level_3_leisure": (15, 15),
    }
    assert (beside.due, beside.is_current) == (None, False)
    assert figures(beside) == {
        "level_1_smart_home": (16, 3),
        "level_2_finance": (3, 3),
        "level_3_leisure": (15, 10),
    }


def test_the_two_profiles_stand_on_boards_of_their_own_under_their_ceilings(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    run = finished(benchmark, worker, knows_every_answer(Mode.FC))
    judged_beside(run)

    usual = client.get("/apibank/?view=level_3_leisure").content.decode()
    beside = client.get("/apibank/?view=level_3_leisure&profile=upstream").content.decode()
    page = client.get(f"/runs/{run.pk}/?profile=upstream").content.decode()

    assert "Historic and contaminated" in usual
    assert "ceiling 100.0" in usual
    assert "ceiling 66.7" in beside
    assert "ceiling 66.7" not in usual
    assert "Outcome ledger, profile upstream" in page
    assert "66.7" in page


def test_an_excluded_case_is_asked_and_says_why_it_does_not_count(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    run = finished(benchmark, worker, knows_every_answer(Mode.FC))
    judged_beside(run)
    case = Erratum.objects.filter(profile="repaired", case__category__name=SOME[0])[0].case

    page = client.get(f"/apibank/cases/{case.name}/?run={run.pk}").content.decode()

    assert run.scorings.get(is_current=True).verdicts.get(case=case).outcome == "excluded"
    assert "this case leaves n" in page


def test_calls_made_before_the_due_one_are_part_of_the_question(
    benchmark: Benchmark, client: Client
) -> None:
    page = client.get("/apibank/cases/L3.00.2/").content.decode()

    assert page.count("<div>Call before</div>") == 2
    assert "QueryMeeting({&quot;user_name&quot;: &quot;John&quot;})" in page
    assert "<div>Model</div>" not in page  # it said nothing besides


def test_trouble_with_an_excluded_case_leaves_nothing_unscored_where_it_does_not_count(
    benchmark: Benchmark, worker: WorkerProcess
) -> None:
    out = SUITE.excluded("repaired")
    knows = knows_every_answer(Mode.FC)
    lost = {
        first_messages(case, Setup(Mode.FC)) for case in SUITE.cases(SOME[0]) if case.id in out
    }

    def script(request: Request) -> Scripted:
        is_lost = json.dumps(request.json["messages"]) in lost
        return (
            Scripted(status=422, body=b'{"error": {"message": "no"}}')
            if is_lost
            else knows(request)
        )

    run = finished(benchmark, worker, script)
    beside = judged_beside(run)

    assert run.state == "finished"
    assert beside.verdicts.filter(outcome="unscored").count() == 13
    assert figures(beside)["level_1_smart_home"] == (16, 3)


def test_a_free_task_is_played_against_its_tools_and_its_transcript_is_shown(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    category = benchmark.categories.get(name=FREE)
    row = category.cases.order_by("position")[0]
    task = SUITE.cases(FREE)[0]

    run = finished(benchmark, worker, solves(task), categories=(FREE,), cases=[row.pk])

    client.force_login(make.user(staff=True))
    page = client.get(f"/apibank/cases/{row.name}/?run={run.pk}").content.decode()
    assert runs.outcomes(run) == {row.name: "correct"}
    for due in task.answer["due"]:
        assert f"ToolSearcher({{&quot;keywords&quot;: &quot;{due['tool']}&quot;}})" in page
    assert "I have done it." in page
    assert page.count("<div>Function</div>") == 2 * len(task.answer["due"])
    assert "turn 1, step 2" in page


def test_answers_in_words_are_measured_in_a_footnote_and_neither_right_nor_wrong(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    name = "level_2_answers"
    first, second, *_ = SUITE.cases(name)
    said = {first_messages(first, Setup(Mode.PROMPT)): first.answer["said"]}
    rows = [
        benchmark.categories.get(name=name).cases.get(name=one.id).pk for one in (first, second)
    ]
    shown = benchmark.categories.get(name="level_2_finance").cases.values_list("pk", flat=True)

    run = finished(
        benchmark,
        worker,
        lambda request: completion(said.get(json.dumps(request.json["messages"]), "")),
        mode=Mode.PROMPT,
        categories=(name, "level_2_finance"),
        cases=[*rows, *shown],
    )
    scoring.judge_here([scoring.begin(run, profile="upstream")])

    client.force_login(make.user(staff=True))
    usual = client.get(f"/runs/{run.pk}/").content.decode()
    beside = client.get(f"/runs/{run.pk}/?profile=upstream").content.decode()
    assert (run.state, run.n) == ("finished", 3)
    assert "3 of 3 cases" in usual
    assert runs.outcomes(run)[first.id] == "excluded"
    assert "ROUGE-L 1.0000 against the recorded answer" in usual
    assert "<strong>ROUGE-L</strong>" not in usual
    assert "<strong>ROUGE-L</strong>: Level 2: answers in words <strong>0.5000</strong>" in beside
    assert "(2 of 103)" in beside
    assert first.id in SUITE.excluded("upstream")


def test_a_published_runs_measures_stand_below_the_board_of_their_profile_alone(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    run = finished(
        benchmark,
        worker,
        lambda request: completion("I have done it."),
        mode=Mode.PROMPT,
        categories=("level_2_finance", "level_3_answers"),
    )
    judged_beside(run)

    usual = client.get("/apibank/").content.decode()
    beside = client.get("/apibank/?profile=upstream").content.decode()
    assert run.state == "finished"
    assert "ROUGE-L, a footnote" not in usual
    assert "ROUGE-L, a footnote" in beside
    assert "Level 3: answers in words <strong>0." in beside
    assert "view=level_3_answers" not in usual + beside  # no column, no tab


@pytest.mark.django_db
def test_published_tables_stand_by_themselves_with_their_sources(
    benchmark: Benchmark, client: Client
) -> None:
    done = column_sets.import_tables("apibank")
    again = column_sets.import_tables("apibank")

    page = client.get("/apibank/").content.decode()
    beside = client.get("/apibank/?profile=upstream").content.decode()

    assert (done.tables, done.is_new, again.is_new) == (len(SUITE.published), True, False)
    assert ColumnSet.objects.count() == len(SUITE.published)
    assert Entry.objects.filter(card__name="ToolACE-8B", evidence="published").exists()
    assert "Table 3, page 3108" in page
    assert '<a href="https://arxiv.org/abs/2409.00920v2"' in page
    assert "n = 399" in page
    assert "75.94" in page
    assert "ROUGE-L 0.4332" in beside
    assert "ROUGE-L 0.4332" not in page
    assert "0 entries" in page  # none of them is a row of the board


@pytest.mark.django_db
def test_a_line_of_a_published_table_leads_to_its_models_page_and_back(
    benchmark: Benchmark, client: Client
) -> None:
    card = make.card("ToolACE-8B")
    column_sets.import_tables("apibank")

    board = client.get("/apibank/").content.decode()
    lynx = client.get("/models/lynx-7b/").content.decode()
    toolace = client.get(f"/models/{card.slug}/").content.decode()

    assert '<a href="/models/lynx-7b/">Lynx-7B</a>' in board
    assert f'<a href="/models/{card.slug}/">ToolACE-8B</a>' in board
    assert '<a href="/apibank/#set-emnlp-table-3">' in lynx
    assert "n = 399" in lynx
    assert "75.94" in toolace
    assert "Nothing published yet" not in toolace


def test_every_export_and_the_page_behind_a_figure_give_its_ceiling(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    run = finished(benchmark, worker, knows_every_answer(Mode.FC))
    judged_beside(run)
    address = "/apibank/?view=level_3_leisure&profile=upstream&format="

    table = client.get(f"{address}csv").content.decode()
    (row,) = csv.DictReader(io.StringIO(table, newline=""))
    (line,) = client.get(f"{address}ndjson").content.splitlines()
    document = client.get(f"{address}json").json()
    columns = parquet.read_table(io.BytesIO(client.get(f"{address}parquet").content))
    usual = client.get(f"/why/{run.entry_id}/level_3_leisure/").content.decode()
    link = f"/why/{run.entry_id}/level_3_leisure/?profile=upstream"
    beside = client.get(link).content.decode()

    assert link in client.get(address.removesuffix("&format=")).content.decode()
    assert float(row["level_3_leisure_ceiling"]) == 10 / 15
    assert json.loads(line)["scores"]["level_3_leisure"]["ceiling"] == 10 / 15
    assert document["rows"][0]["scores"]["level_3_leisure"]["ceiling"] == 10 / 15
    assert columns["level_3_leisure_ceiling"].to_pylist() == [10 / 15]
    assert "15 of 15 = 100.0 %" in usual
    assert "10 of 15 = 66.7 %" in beside
    assert "10 correct ÷ 15 cases" in beside
    assert "profile upstream" in beside


def searches(keywords: str) -> Script:
    """A model that always searches for a tool, by the same words."""
    return lambda request: completion(calls={"ToolSearcher": json.dumps({"keywords": keywords})})


def test_recall_of_searches_is_told_apart_on_run_board_and_figure(
    benchmark: Benchmark, worker: WorkerProcess, client: Client
) -> None:
    run = finished(benchmark, worker, searches("alarm"), categories=("level_2_tool_search",))
    publishing.publish(run)

    pages = [
        client.get(address).content.decode()
        for address in (
            f"/runs/{run.pk}/",
            "/apibank/?view=level_2_tool_search",
            f"/why/{run.entry_id}/level_2_tool_search/",
        )
    ]

    assert all("Recall of ToolSearcher" in page for page in pages)
    assert "tool_search lexical" not in pages[0]
    assert "tool search lexical" in pages[0]


def test_a_wish_for_the_encoder_is_refused_where_it_is_not_installed(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not vectors.unavailable():
        pytest.skip("The embedding model is installed.")
    monkeypatch.setenv("CALLBOARD_TOOL_SEARCH", "all-MiniLM-L6-v2")

    with pytest.raises(scheduling.CannotSchedule, match=r"requirements-vector\.txt"):
        scheduling.schedule(make.endpoint(), benchmark=benchmark, categories=SOME)


def test_an_unknown_way_to_search_is_refused_with_those_there_are(
    benchmark: Benchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CALLBOARD_TOOL_SEARCH", "magic")

    with pytest.raises(scheduling.CannotSchedule, match="lexical or all-MiniLM-L6-v2"):
        scheduling.schedule(make.endpoint(), benchmark=benchmark, categories=SOME)


@pytest.mark.parametrize(
    ("way", "outcome"), [("lexical", "wrong"), ("all-MiniLM-L6-v2", "correct")]
)
def test_a_run_is_judged_by_the_search_it_was_frozen_with(
    benchmark: Benchmark,
    worker: WorkerProcess,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
    outcome: str,
) -> None:
    if vectors.unavailable() and way != "lexical":
        pytest.skip(vectors.unavailable())
    monkeypatch.setenv("CALLBOARD_TOOL_SEARCH", way)
    case = benchmark.categories.get(name="level_2_tool_search").cases.get(name=ENCODERS_CASE)

    run = finished(
        benchmark,
        worker,
        searches(ENCODERS_KEYWORDS),
        categories=("level_2_tool_search",),
        cases=[case.pk],
    )

    assert json.loads(run.configuration)["options"] == {"tool_search": way}
    assert runs.outcomes(run) == {case.name: outcome}
