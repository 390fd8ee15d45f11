"""`manage.py reference_endpoint` serves until it is told to stop, and needs no database."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"


def test_a_port_in_use_gets_one_sentence() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]

        with pytest.raises(CommandError, match=f"Port {port} cannot be used"):
            call_command("reference_endpoint", port=port)


def test_it_serves_until_it_is_told_to_stop() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, str(MANAGE), "reference_endpoint", "--port", str(port)]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        env={**os.environ, "DATABASE_URL": "postgresql://nowhere/x"},
    )
    try:
        assert server.stdout is not None
        announced = server.stdout.readline().decode()
        models = _models(port)
    finally:
        server.send_signal(signal.SIGTERM)
        status = server.wait(20)
        assert server.stdout is not None
        server.stdout.close()

    assert f"http://127.0.0.1:{port}/v1" in announced
    assert models == ["callboard-reference"]
    assert status == 0


def _models(port: int) -> list[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=10) as response:
        return [model["id"] for model in json.load(response)["data"]]
