"""The sandbox child reaches nothing: tried from inside, wall by wall."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from evaluation.sandbox import probe
from evaluation.sandbox.blocking import PROBE, Sandbox, status
from evaluation.sandbox.process import ENVIRONMENT


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(size=1) as opened:
        yield opened


@pytest.mark.parametrize("attempt", list(probe.ATTEMPTS))
def test_a_child_is_refused(sandbox: Sandbox, attempt: str) -> None:
    (outcome,) = sandbox.act(PROBE, [attempt])

    assert outcome == probe.REFUSED


def test_a_child_sees_nothing_of_the_workers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLBOARD_KEYS", "a secret")

    with Sandbox(size=1) as sandbox:
        (names,) = sandbox.act(PROBE, ["environment"])

    assert set(names.split()) == set(ENVIRONMENT)
    assert "CALLBOARD_KEYS" not in names


def test_a_child_loads_neither_django_nor_an_http_client(sandbox: Sandbox) -> None:
    (modules,) = sandbox.act(PROBE, ["modules"])

    assert not {"django", "celery", "aiohttp", "psycopg", "redis"} & set(modules.split())


def test_the_doctor_is_told_which_walls_are_up_and_that_they_hold() -> None:
    sentences = status()

    assert len(sentences) == 5
    assert sentences[-1].startswith("Tried, and refused: connect, open a socket")


WALL_ALONE = """
import socket
from evaluation.sandbox import seccomp, walls
if {raised}:
    try:
        {attempt}
    except OSError:
        print("refused")
    else:
        print("possible")
else:
    print("refused")  # this system has no such wall
"""


@pytest.mark.parametrize(
    ("raised", "attempt"),
    [
        pytest.param(
            "seccomp.refuse_system_calls()", "socket.socket()", id="the-system-call-filter"
        ),
        pytest.param(
            "walls.leave_network()",
            "socket.create_connection(('127.0.0.1', 9), 1)",
            id="the-network-namespace",
        ),
        pytest.param("not walls.watch_interpreter()", "socket.socket()", id="the-audit-hook"),
    ],
)
def test_each_wall_against_the_network_holds_alone(raised: str, attempt: str) -> None:
    script = WALL_ALONE.format(raised=raised, attempt=attempt)

    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )

    assert run.stdout.strip() == "refused", run.stderr


def test_a_child_ends_when_its_input_ends() -> None:
    script = (
        "import tempfile; from evaluation.sandbox.child import main; "
        "counter = tempfile.TemporaryFile(); counter.truncate(8); main(counter.fileno())"
    )

    run = subprocess.run(
        [sys.executable, "-c", script], stdin=subprocess.DEVNULL, check=False, timeout=60
    )

    assert run.returncode == 0
