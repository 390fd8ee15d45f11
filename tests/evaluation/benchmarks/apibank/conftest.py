"""The benchmark's data for its tests, read once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.benchmarks.apibank.corpus import Corpus, read_corpus
from evaluation.benchmarks.apibank.install import install
from evaluation.benchmarks.apibank.suite import ApiBank


@pytest.fixture(scope="session")
def checkout(corpora: Path) -> Path:
    folder = corpora / "apibank"
    assert folder.is_dir(), f"{folder} is missing"
    return folder


@pytest.fixture(scope="session")
def corpus(checkout: Path) -> Corpus:
    return read_corpus(checkout)


@pytest.fixture(scope="session")
def suite(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiBank]:
    """The suite over data installed in a folder of its own."""
    base = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CALLBOARD_DATA", str(base))
        install(str(checkout))
        yield ApiBank()
