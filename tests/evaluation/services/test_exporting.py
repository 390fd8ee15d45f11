"""A run's official folders hold what was scored, and come back to the same figures."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation.benchmarks.bfcl_published.layouts import V4
from evaluation.benchmarks.bfcl_v4.loader import cases
from evaluation.benchmarks.bfcl_v4.manifest import Manifest
from evaluation.models import Benchmark, Case, Reply, Run
from evaluation.runner.process import WorkerProcess
from evaluation.services import exporting, publishing, scoring, uploads
from evaluation.services.uploads import Source
from submissions.uploads import read_upload
from tests import make
from tests.evaluation import runs
from tests.evaluation.services import brought
from tests.fakes import FakeEndpoint

ERROR = "Error during inference: 429"
WRONG = "[nothing_of_the_kind(x=1)]"


def files_of(run: Run) -> dict[str, bytes]:
    return {path: b"".join(content) for path, content in exporting.Export(run).files()}


def lines_of(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


def again(board: Benchmark, run: Run, name: str = "results.zip") -> Run:
    """The run exported, and what was exported brought in as an upload."""
    packed = io.BytesIO(b"".join(exporting.as_zip(run)))
    uploaded = read_upload(packed, name)
    setup = Source(run.entry.mode, json.loads(run.configuration)["underscore"])
    back = uploads.store_results(make.card(), board, setup, uploaded.results, uploaded.manifest)
    scoring.judge_here(back.scorings.all())
    back.refresh_from_db()
    return back


def mixed(board: Benchmark, **figures: Any) -> Run:
    """Right, wrong, unscored and left-out cases, and one whose error text counts as wrong."""
    parallel = {case.id: "" for case in cases("live_parallel")[:3]}
    parallel[cases("live_parallel")[4].id] = ERROR
    overflow = cases("live_parallel")[5].id
    parallel[overflow] = ERROR
    talk = brought.accepted(cases("multi_turn_base")[0])[:-1]
    return brought.judged(
        board,
        {
            "live_parallel": brought.lines("live_parallel", parallel, latency=0.5),
            "irrelevance": brought.lines("irrelevance", {"irrelevance_7": ERROR}),
            "multi_turn_base": brought.lines(
                "multi_turn_base", {"multi_turn_base_0": talk}, **figures
            ),
        },
        Manifest(without_completion={overflow: "context_overflow"}),
    )


def test_what_is_exported_comes_back_to_the_same_verdicts(board: Benchmark) -> None:
    run = mixed(board)

    back = again(board, run)

    assert brought.figures(back) == brought.figures(run)
    assert brought.outcomes(back) == brought.outcomes(run)


def test_an_export_of_an_import_of_an_export_is_the_same(board: Benchmark) -> None:
    run = mixed(board, latency=[[1.0, 2.0], [3.0]], input_token_count=[[5, 6], [7]])
    back = again(board, run)

    first, second = files_of(run), files_of(back)

    results = [path for path in first if path.endswith("_result.json")]
    renamed = {path.split("/", 2)[-1]: content for path, content in second.items()}
    assert len(results) == 3
    for path in results:
        assert renamed[path.split("/", 2)[-1]] == first[path]


def test_score_files_hold_a_header_and_the_failing_entries(board: Benchmark) -> None:
    run = mixed(board)

    files = files_of(run)

    header, *failing = lines_of(
        next(text for path, text in files.items() if path.endswith("irrelevance_score.json"))
    )
    assert header == {"accuracy": 1.0, "correct_count": 239, "total_count": 239}
    assert failing == []
    header, *failing = lines_of(
        next(text for path, text in files.items() if path.endswith("multi_turn_base_score.json"))
    )
    assert header["total_count"] == header["correct_count"] + len(failing) == 200
    first = failing[0]
    assert (first["id"], first["valid"]) == ("multi_turn_base_0", False)
    assert first["error"]["error_type"] == "multi_turn:force_terminated"


def test_left_out_cases_are_named_in_the_manifest(board: Benchmark) -> None:
    run = mixed(board)

    path, manifest = next(iter(files_of(run).items()))

    document = json.loads(manifest)
    assert path.endswith("/manifest.json")
    assert "irrelevance_7" in document["omitted"]["unscored"]
    assert list(document["without_completion"].values()) == ["context_overflow"]


def test_tables_have_the_official_headers_and_stay_whole_with_a_comma(board: Benchmark) -> None:
    run = mixed(board)
    run.entry.card.name = 'A model, "quoted"'
    run.entry.card.save()

    files = files_of(Run.objects.select_related("entry__card").get(pk=run.pk))

    for table, header in V4.headers.items():
        rows = list(csv.DictReader(io.StringIO(files[f"score/{table}"].decode())))
        assert tuple(rows[0]) == header
        assert rows[0]["Model"] == 'A model, "quoted" (FC)'


def overall_row(run: Run) -> Mapping[str, str]:
    text = files_of(run)["score/data_overall.csv"].decode()
    return next(csv.DictReader(io.StringIO(text)))


def test_latency_is_counted_over_single_requests(board: Benchmark) -> None:
    lines = brought.lines("multi_turn_base", latency=[[1.0, 3.0], [0]])

    row = overall_row(brought.judged(board, {"multi_turn_base": lines}))

    assert row["Latency Mean (s)"] == "2.0"
    assert row["Latency Standard Deviation (s)"] == "1.0"
    assert row["Total Cost ($)"] == "0.05"  # 800 s of eight GPUs shared by a hundred


def test_prices_make_the_cost(board: Benchmark) -> None:
    lines = brought.lines("live_parallel", input_token_count=1000, output_token_count=100)

    run = brought.judged(board, {"live_parallel": lines}, price_in="10", price_out="100")

    assert overall_row(run)["Total Cost ($)"] == "0.32"


def test_a_run_of_ours_is_exported_with_the_figures_of_each_request(
    worker: WorkerProcess,
) -> None:
    with FakeEndpoint(script=runs.calls_first_tool) as endpoint:
        run = runs.scheduled(endpoint.base_url, {"simple_python": 2, "multi_turn_base": 1})
        runs.work_through(run, worker, endpoint)
    run = Run.objects.select_related("entry__card", "entry__benchmark").get(pk=run.pk)

    files = files_of(run)

    plain = lines_of(
        next(text for path, text in files.items() if path.endswith("simple_python_result.json"))
    )
    (talk,) = lines_of(
        next(text for path, text in files.items() if path.endswith("turn_base_result.json"))
    )
    assert [line["id"] for line in plain] == ["simple_python_0", "simple_python_1"]
    assert isinstance(plain[0]["latency"], float)
    assert [len(turn) for turn in talk["latency"]] == [len(turn) for turn in talk["result"]]


@pytest.mark.parametrize("is_published", [True, False])
def test_the_archive_is_for_those_who_may_see_the_run(
    board: Benchmark, client: Client, is_published: bool
) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})
    if is_published:
        publishing.publish(run)

    response = client.get(f"/runs/{run.pk}/export.zip")

    if not is_published:
        assert response.status_code == 404
        return
    content = b"".join(response.streaming_content)  # type: ignore[attr-defined]
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 9


def test_cases_that_are_not_public_yet_are_in_no_archive(board: Benchmark, client: Client) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})
    publishing.publish(run)
    board.cases_public_from = timezone.now() + timedelta(days=1)
    board.save()

    assert client.get(f"/runs/{run.pk}/export.zip").status_code == 404


def test_an_exported_folder_is_written_where_asked(board: Benchmark, tmp_path: Path) -> None:
    run = brought.judged(board, {"live_parallel": brought.lines("live_parallel")})

    exporting.write_folder(run, tmp_path)

    written = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert "BFCL_v4_live_parallel_result.json" in written
    assert (
        Reply.objects.filter(run=run).count()
        == Case.objects.filter(category__name="live_parallel").count()
    )
