"""`score` as a command: a line out for each line in, whatever the line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks import lines
from evaluation.cli.score import main
from tests.suites import real_suite

RIGHT = {"id": "simple_python_0", "result": "[calculate_triangle_area(base=10, height=5)]"}
WRONG = {"id": "simple_python_0", "result": "[calculate_triangle_area(base=1e400, height=5)]"}


@pytest.fixture(autouse=True)
def data() -> None:
    real_suite("bfcl-v4")


def score(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> tuple[int, list[Any], str]:
    status = main([str(argument) for argument in argv])
    out, err = capsys.readouterr()
    return status, [json.loads(line) for line in out.splitlines()], err


def written(path: Path, *entries: object) -> Path:
    texts = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries]
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


def test_lines_are_judged_in_their_order_and_ids_may_repeat(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = written(tmp_path / "a.jsonl", RIGHT, WRONG, RIGHT)

    status, entries, _ = score(capsys, "--mode", "prompt", file)

    assert status == 0
    assert [entry["valid"] for entry in entries] == [True, False, True]
    assert entries[1]["error_type"] == "value_error:others" or entries[1]["error_type"]


def test_a_gzipped_file_is_read_and_files_follow_one_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plain = written(tmp_path / "a.jsonl", WRONG)
    packed = tmp_path / "b.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(RIGHT).encode()))

    _, entries, _ = score(capsys, "--mode", "prompt", packed, plain)

    assert [entry["valid"] for entry in entries] == [True, False]


def test_what_cannot_be_judged_gets_an_error_in_its_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fc_only = {"id": "no_such_1", "result": []}
    bad = ["{", "[1]", "5", '{"id": 3, "result": ""}', '{"id": "simple_python_0"}', fc_only]
    file = written(
        tmp_path / "a.jsonl", *bad, '{"id": "\ud83d"}'.encode("utf-8", "replace").decode(), RIGHT
    )

    status, entries, _ = score(capsys, "--mode", "prompt", file)

    assert status == 0
    assert [entry["valid"] for entry in entries] == [None] * 7 + [True]
    assert all(entry["error"] and entry["error_type"] is None for entry in entries[:7])
    assert entries[4]["id"] == "simple_python_0"


def test_a_category_of_another_mode_is_out_of_scope(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    case = real_suite("bfcl-v4").cases("format_sensitivity")[0]
    file = written(tmp_path / "a.jsonl", {"id": case.id, "result": []})

    _, entries, _ = score(capsys, "--mode", "fc", file)

    assert entries[0]["valid"] is None
    assert "fc mode" in entries[0]["error"]


def test_dots_are_judged_as_they_were_sent(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    arguments = json.dumps({"side1": 5, "side2": 4, "side3": 3})
    dotted = {"id": "multiple_0", "result": [{"triangle_properties.get": arguments}]}
    file = written(tmp_path / "a.jsonl", dotted)

    _, sent_with_dots, _ = score(capsys, "--mode", "fc", file)
    _, sent_without, _ = score(capsys, "--mode", "fc", "--underscore", file)

    assert (sent_with_dots[0]["valid"], sent_without[0]["valid"]) == (True, False)


def test_an_unreadable_file_is_exit_2_after_the_lines_before_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    good = written(tmp_path / "a.jsonl", RIGHT)
    broken = tmp_path / "b.gz"
    broken.write_bytes(gzip.compress(json.dumps(RIGHT).encode() * 100)[:40])

    status, entries, err = score(capsys, "--mode", "prompt", good, broken)

    assert status == 2
    assert entries[0]["valid"] is True
    assert "b.gz" in err
    assert score(capsys, "--mode", "prompt", tmp_path / "none")[0] == 2
    assert score(capsys, "--mode", "prompt", tmp_path)[0] == 2


def test_underscores_are_refused_in_prompt_mode(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = written(tmp_path / "a.jsonl", RIGHT)

    status, entries, err = score(capsys, "--mode", "prompt", "--underscore", file)

    assert (status, entries) == (2, [])
    assert "FC mode" in err


def test_a_line_beyond_the_limit_is_an_error_and_the_next_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 200)
    file = written(tmp_path / "a.jsonl", {"id": "x", "result": "y" * 1000}, RIGHT)

    _, entries, _ = score(capsys, "--mode", "prompt", file)

    assert [entry["valid"] for entry in entries] == [None, True]


def test_deep_and_huge_json_lines_are_malformed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = written(tmp_path / "a.jsonl", "[" * 100_000, '{"id": ' + "1" * 5000 + "}", RIGHT)

    _, entries, _ = score(capsys, "--mode", "prompt", file)

    assert [entry["valid"] for entry in entries] == [None, None, True]


@pytest.mark.parametrize("mode", ["fc", "prompt"])
def test_a_result_that_only_python_calls_json_is_an_answer_without_calls(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, mode: str
) -> None:
    lines = ['{"id": "simple_python_0", "result": NaN}', '{"id": "irrelevance_0", "result": NaN}']
    file = written(tmp_path / "a.jsonl", *lines)

    _, entries, _ = score(capsys, "--mode", mode, file)

    assert [entry["valid"] for entry in entries] == [False, True]
    assert entries[0]["error_type"] == "ast_decoder:decoder_failed"
