"""The doctor says which walls are up, what can be run and what cannot, and why."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from evaluation.benchmarks.bfcl_v4 import vectors
from evaluation.sandbox import probe
from tests.suites import real_suite


def test_a_healthy_system_is_described_in_sentences() -> None:
    real_suite()
    said = StringIO()

    call_command("doctor", stdout=said)

    assert "Tried, and refused: connect" in said.getvalue()
    assert "bfcl-eval 2026.3.23: simple_python" in said.getvalue()


def test_walls_that_do_not_hold_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "REFUSED", "never said")

    with pytest.raises(CommandError, match="The walls do not hold: a child can connect"):
        call_command("doctor", stdout=StringIO())


@pytest.mark.skipif(not vectors.unavailable(), reason="the encoder is installed")
def test_what_is_missing_is_named_with_its_remedy() -> None:
    said = StringIO()

    call_command("doctor", stdout=said)

    assert "Not available: memory_vector. The vector memory needs" in said.getvalue()
