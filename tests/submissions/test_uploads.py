"""Archives are read as streams, within limits, and nothing in them leads anywhere else."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evaluation.benchmarks.bfcl_v4.result_files import ResultsRefused
from submissions import uploads
from submissions.uploads import Busy, Limits, TooLarge, Uploaded, read_here, read_upload
from tests.submissions import archives
from tests.suites import real_suite

MB = 1024 * 1024


@pytest.fixture(autouse=True)
def _needs_data() -> None:
    real_suite()


def read(content: bytes, name: str, **limits: int) -> Uploaded:
    return read_here(io.BytesIO(content), name, Limits(**limits))


def problems(content: bytes, name: str = "results.jsonl") -> list[str]:
    with pytest.raises(ResultsRefused) as refused:
        read(content, name)
    return [str(problem) for problem in refused.value.problems]


def sizes(uploaded: Uploaded) -> dict[str, int]:
    return {name: len(found) for name, found in uploaded.results.by_category.items()}


EXPECTED = {"simple_javascript": 50, "live_parallel": 16}


@pytest.mark.parametrize(
    ("name", "pack"),
    [("results.zip", archives.zipped), ("results.tar.gz", archives.tarred)],
)
def test_an_archive_is_read_like_the_folder_it_was_made_of(name: str, pack: Any) -> None:
    uploaded = read(pack(archives.folder()), name)

    assert sizes(uploaded) == EXPECTED


def test_a_folder_is_read_with_what_lies_beside_the_results(tmp_path: Path) -> None:
    for name, content in archives.folder().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    (tmp_path / "model-x" / "BFCL_v4_simple_python_score.json").write_text("{}")

    uploaded = read_upload(tmp_path, tmp_path.name)

    assert sizes(uploaded) == EXPECTED


def test_a_link_in_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "BFCL_v4_simple_python_result.json").symlink_to("/etc/passwd")

    with pytest.raises(ResultsRefused, match="it is a link"):
        read_upload(tmp_path, tmp_path.name)


@pytest.mark.parametrize(
    "name",
    [
        "../../../tmp/BFCL_v4_simple_python_result.json",
        "/tmp/BFCL_v4_simple_python_result.json",
        "a\\..\\BFCL_v4_simple_python_result.json",
        "C:/BFCL_v4_simple_python_result.json",
    ],
)
def test_a_path_that_leads_out_is_refused(name: str) -> None:
    found = problems(archives.zipped({name: b"{}"}), "results.zip")

    assert "leads out of the archive" in found[0]


NAME = "BFCL_v4_simple_python_result.json"


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE]
)
@pytest.mark.parametrize("target", ["/etc/passwd", "../../etc/passwd", NAME])
def test_links_and_devices_in_a_tar_are_refused(kind: bytes, target: str) -> None:
    found = problems(archives.tarred({}, {NAME: target}, kind), "results.tar.gz")

    assert "it is a link" in found[0]


@pytest.mark.parametrize("name", [f"/tmp/{NAME}", f"../{NAME}", f"a/../../{NAME}", f"C:\\{NAME}"])
@pytest.mark.parametrize("file", ["results.tar.gz", "results.tar"])
def test_a_path_in_a_tar_that_leads_out_is_refused(name: str, file: str) -> None:
    content = archives.tarred({name: b"{}"})
    if file.endswith(".tar"):
        content = gzip.decompress(content)

    assert "leads out of the archive" in problems(content, file)[0]


@pytest.mark.parametrize("other", [NAME, NAME.lower(), NAME.replace("v4", "ｖ4")])
@pytest.mark.parametrize(
    ("file", "pack"), [("a.zip", "zipped_twice"), ("a.tar.gz", "tarred_twice")]
)
def test_two_files_of_one_name_are_refused(other: str, file: str, pack: str) -> None:
    content = getattr(archives, pack)([NAME, other])

    assert "it is there twice" in problems(content, file)[0]


def test_entries_of_a_zip_that_share_their_bytes_are_no_bomb() -> None:
    content = archives.overlapping(files=400, megabytes=1)

    with pytest.raises((TooLarge, ResultsRefused)):
        read(content, "results.zip")


def test_an_encrypted_zip_is_refused() -> None:
    assert "it is encrypted" in problems(archives.encrypted(), "results.zip")[0]


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressions_whose_bytes_cannot_be_counted_are_refused(method: int) -> None:
    content = archives.zipped({NAME: b"{}"}, method)

    assert "its compression is unusual" in problems(content, "results.zip")[0]


def test_a_large_zip_s_own_records_are_read(tmp_path: Path) -> None:
    uploaded = read(archives.zipped(archives.folder(), large=True), "results.zip")

    assert sizes(uploaded) == EXPECTED


def test_a_sparse_file_in_a_tar_is_refused_before_it_is_read() -> None:
    with pytest.raises((TooLarge, ResultsRefused)):
        read(archives.sparse(2**40), "results.tar.gz")


def test_what_is_sent_to_the_site_is_read_apart_to_the_same_end() -> None:
    files = archives.folder()
    files["manifest.json"] = json.dumps({"format": 1}).encode()
    content = archives.zipped(files)

    apart = read_upload(io.BytesIO(content), "results.zip")

    assert apart == read(content, "results.zip")
    assert sizes(apart) == EXPECTED


def test_what_is_refused_apart_is_told_in_full() -> None:
    content = archives.line("simple_javascript_0") + b"{broken\n"

    with pytest.raises(ResultsRefused) as refused:
        read_upload(io.BytesIO(content), "results.jsonl")

    assert [str(one) for one in refused.value.problems] == problems(content)


def test_an_upload_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "WALL", 0.01)

    with pytest.raises(TooLarge, match="takes longer to read"):
        read_upload(io.BytesIO(archives.zipped(archives.folder())), "results.zip")


def test_more_than_an_upload_tells_is_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 1000)

    with pytest.raises(TooLarge, match="more memory"):
        read_upload(io.BytesIO(archives.zipped(archives.folder())), "results.zip")


def test_one_upload_is_read_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "PATIENCE", 0.01)
    content = archives.zipped(archives.folder())

    with uploads._turn, pytest.raises(Busy, match="Send it again"):
        read_upload(io.BytesIO(content), "results.zip")

    assert sizes(read_upload(io.BytesIO(content), "results.zip")) == EXPECTED


def test_a_file_that_swells_is_refused_within_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl.gz"
    path.write_bytes(archives.bomb(5000))
    script = (
        "import sys; from pathlib import Path; from submissions import uploads\n"
        "try: uploads.read_upload(Path(sys.argv[1]), 'results.jsonl.gz')\n"
        "except uploads.TooLarge: pass\n"
        "else: sys.exit('it was read')\n"
        # Not getrusage: its high-water mark is inherited from the process that forked.
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(status.partition('VmHWM:')[2].split()[0]) // 1024)"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )

    assert int(done.stdout) <= 200  # MB, the interpreter included


def test_what_unpacks_to_more_than_its_size_warrants_is_refused() -> None:
    with pytest.raises(TooLarge, match="unpacks to more than"):
        read(archives.bomb(20), "results.jsonl.gz")


def test_a_line_longer_than_any_result_is_refused() -> None:
    with pytest.raises(ResultsRefused, match="line 1 is longer") as refused:
        read(b" " * 5 * MB, "results.jsonl")

    assert refused.value.is_too_large


def test_a_bomb_within_a_zip_is_refused() -> None:
    content = archives.zipped({"BFCL_v4_simple_python_result.json": archives.blank_lines(40)})

    with pytest.raises(TooLarge, match="unpacks to more than"):
        read(content, "results.zip")


@pytest.mark.parametrize("line", [b"\n", b"x\n"])
def test_more_lines_than_results_have_are_refused(line: bytes) -> None:
    content = archives.zipped({"BFCL_v4_simple_python_result.json": line * MB})

    with pytest.raises(ResultsRefused) as refused:
        read(content, "results.zip")

    assert "more than 50,000 lines" in str(refused.value.problems[-1]) or refused.value.more
    assert refused.value.is_too_large


def test_a_list_of_files_longer_than_it_says_is_not_read() -> None:
    with pytest.raises(TooLarge, match="more files than result folders do"):
        read(archives.with_a_long_list(50_000), "results.zip")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", archives.nameless()),
        ("a.zip", archives.zipped({".": b"{}"})),
        ("a.tar.gz", archives.tarred({".": b"{}"})),
    ],
    ids=["no-name", "zip", "tar"],  # not the bytes: an archive holds the time it was made
)
def test_a_file_without_a_name_is_refused(name: str, content: bytes) -> None:
    assert "without a name" in problems(content, name)[0]


def test_too_many_files_are_refused() -> None:
    content = archives.zipped({f"notes-{number}_score.json": b"" for number in range(11)})

    with pytest.raises(TooLarge, match="more than 10 files"):
        read(content, "results.zip", files=10)


def test_an_upload_beyond_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match="at most 1 MB"):
        read(b" " * 2 * MB, "results.jsonl", size=MB)


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.tar", "a.jsonl.gz", "a.jsonl", "a.bin"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 600, b"PK\x03\x04nonsense", b"\x1f\x8b\x08\0broken", b"\xff\xfe{}", b"ustar"],
)
def test_broken_files_are_refused_with_a_reason(name: str, content: bytes) -> None:
    assert problems(content, name)


def case_file(corpora: Path, name: str) -> Any:
    return json.loads((corpora / "cases" / f"{name}.json").read_text())["input"]


def test_broken_lines_are_named(corpora: Path) -> None:
    for content in case_file(corpora, "UP03")["files"]:
        assert problems(content.encode())


def test_duplicates_unknown_and_missing_ids_are_named(corpora: Path) -> None:
    lines = case_file(corpora, "UP04")["lines"]
    content = "\n".join(json.dumps(line) for line in lines).encode()

    found = "\n".join(problems(content))

    for expected in (
        "line 2: duplicate simple_python_0",
        "line 3: unknown simple_python_9999",
        "line 4: unknown simple_0 (V3 id)",
        "missing 399 ids",
    ):
        assert expected in found


def test_ids_that_look_like_paths_are_unknown_ids(corpora: Path) -> None:
    for case_id in case_file(corpora, "UP05")["ids"]:
        assert "unknown" in problems(archives.line(case_id))[0]


@pytest.mark.parametrize(
    "text",
    [
        '{"id": "simple_python_0", "result": [], "latency": NaN}',
        '{"id": "simple_python_0", "result": [], "latency": 1e999}',
        '{"id": "simple_python_0", "result": [], "latency": "fast"}',
        '{"id": "simple_python_0", "result": [], "input_token_count": -1}',
        '{"id": 7, "result": []}',
        '["simple_python_0"]',
        '{"id": "simple_python_0", "result": ' + "[" * 200 + "]" * 200 + "}",
    ],
)
def test_wrong_types_are_named_by_line(text: str) -> None:
    found = problems(b"\n" + text.encode())

    assert "line 2" in found[0]


def test_what_a_manifest_leaves_out_is_not_missed() -> None:
    files = archives.folder(["simple_javascript"])
    name, content = next(iter(files.items()))
    files[name] = b"".join(content.splitlines(keepends=True)[:-1])
    omitted = {"unscored": ["simple_javascript_49"], "not_run": []}
    files["manifest.json"] = json.dumps({"format": 1, "omitted": omitted}).encode()

    uploaded = read(archives.zipped(files), "results.zip")

    assert sizes(uploaded) == {"simple_javascript": 49}
    assert uploaded.manifest.unscored == {"simple_javascript_49"}
