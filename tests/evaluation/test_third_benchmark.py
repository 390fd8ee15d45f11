"""Follows docs/benchmarks.md to the letter: its example is a benchmark that works."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from evaluation import benchmarks as known
from evaluation.benchmarks.suite import Suite
from evaluation.engine.types import JSON, Mode, Setup
from evaluation.models import Benchmark
from evaluation.runner.process import WorkerProcess
from evaluation.services import benchmarks, publishing, scheduling
from leaderboard import loading
from tests import make
from tests.evaluation import runs
from tests.fakes import FakeEndpoint, Request, Scripted, completion

GUIDE = Path(settings.BASE_DIR) / "docs" / "benchmarks.md"


@pytest.fixture
def third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Suite:
    """Steps 1 and 2: the example in a file of its own, and its name in SUITES."""
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    path = tmp_path / "suite.py"
    path.write_text(code, "utf-8")
    spec = importlib.util.spec_from_file_location("third_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "third_benchmark", module)
    spec.loader.exec_module(module)
    found: Suite = module.SUITE
    monkeypatch.setattr(known, "SUITES", (*known.SUITES, found))
    return found


def knows_peru(request: Request) -> Scripted:
    is_peru = "Peru" in request.json["messages"][0]["content"]
    return completion(calls={"tell_capital": '{"city": "%s"}' % ("Lima" if is_peru else "Bonn")})


def finished(benchmark: Benchmark, worker: WorkerProcess) -> str:
    """Step 5: an endpoint asked every case, its run published; the address of one wrong case."""
    with FakeEndpoint(script=knows_peru) as endpoint:
        run = scheduling.schedule(make.endpoint(base_url=endpoint.base_url), benchmark=benchmark)
        runs.work_through(run, worker, endpoint)
    publishing.publish(run)
    return f"/capitals/cases/capital_Japan/?run={run.pk}"


def test_the_example_of_the_guide_loads_runs_and_has_a_board(
    third: Suite, worker: WorkerProcess, client: Client
) -> None:
    benchmark, is_new = benchmarks.load(third)

    case = finished(benchmark, worker)

    board = client.get("/capitals/").content.decode()
    page = client.get(case).content.decode()
    assert is_new
    assert "Standings" in board
    (row,) = loading.load(benchmark).rows
    overall = loading.load(benchmark).figure(row, "overall")
    assert overall is not None
    assert overall.value == 0.25  # the mean of 0 of 1 and 1 of 2
    assert "That is not it." in page
    assert "Profile" not in board


def test_what_the_example_leaves_out_has_neutral_defaults(third: Suite) -> None:
    assert third.profiles == ("default",)
    assert third.excluded("default") == {}
    assert (third.notice, third.getting, third.published, dict(third.ceilings)) == ("", "", (), {})
    assert third.score([]) is None


def test_the_example_judges_hostile_results_wrong(third: Suite) -> None:
    case = third.cases("europe")[0]

    results: tuple[JSON, ...] = (None, "", 5, [None], [{}], {"tell_capital": "Paris"})
    for hostile in results:
        verdict = third.judge(case, hostile, Setup(Mode.FC))
        assert not verdict.valid
        assert verdict.fault
        assert verdict.message
