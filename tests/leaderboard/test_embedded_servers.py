"""PostgreSQL and Valkey from their wheels: started, adopted, killed, and never somebody else's."""

from __future__ import annotations

import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import redis

from leaderboard.embedded import records
from leaderboard.embedded.errors import CannotStart
from leaderboard.embedded.home import PROJECT
from leaderboard.embedded.postgres import Postgres
from leaderboard.embedded.servers import Servers
from leaderboard.embedded.valkey import Valkey

STARTS_AND_DIES = """
import os, signal, sys
from pathlib import Path
from leaderboard.embedded.servers import Servers
Servers(Path(sys.argv[1]), given={}, throwaway=True).start()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def base() -> Iterator[Path]:
    """A data folder that `nobody` can reach, which pytest's own temporary folders are not."""
    folder = Path(tempfile.mkdtemp(prefix="callboard-embedded-")).resolve()
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def started(base: Path) -> Iterator[Servers]:
    servers = Servers(base, given={}, throwaway=True)
    servers.start()
    try:
        yield servers
    finally:
        servers.stop()


def postgres(servers: Servers) -> Postgres:
    assert servers.postgres is not None
    return servers.postgres


def valkey(servers: Servers) -> Valkey:
    assert servers.valkey is not None
    return servers.valkey


def ask(servers: Servers, question: str) -> object:
    with psycopg.connect(postgres(servers).url()) as connection:
        row = connection.execute(question.encode()).fetchone()
    return row[0] if row else None


def write_row(servers: Servers) -> None:
    with psycopg.connect(postgres(servers).url()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")


def test_the_product_logs_in_as_a_role_that_is_no_superuser(base: Path) -> None:
    with started(base) as servers:
        is_superuser = ask(servers, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")

    assert is_superuser is False


def test_a_wrong_password_is_refused_by_both_servers(base: Path) -> None:
    with started(base) as servers:
        wrong = servers.keys["postgres"], servers.keys["valkey"]
        database, broker = postgres(servers).url(), valkey(servers).url()

        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(database.replace(wrong[0], "guessed"))
        guesser = redis.Redis.from_url(broker.replace(wrong[1], "guessed"))
        with guesser, pytest.raises(redis.AuthenticationError):
            guesser.ping()


def test_servers_of_a_killed_process_are_adopted_and_can_be_stopped(base: Path) -> None:
    subprocess.run([sys.executable, "-c", STARTS_AND_DIES, str(base)], cwd=PROJECT, check=False)
    ports = records.read(base / "ports.json")

    with started(base) as servers:
        adopted = postgres(servers).process is None and valkey(servers).process is None
        same_ports = {"postgres": postgres(servers).port, "valkey": valkey(servers).port}

    assert adopted
    assert same_ports == ports
    assert servers.fallen() == ["PostgreSQL", "Valkey"]


def test_data_survives_both_servers_being_killed(base: Path) -> None:
    with started(base) as servers:
        write_row(servers)
        for server in (postgres(servers), valkey(servers)):
            assert server.process is not None
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()

        fallen = servers.fallen()
        servers.revive()

        assert fallen == ["PostgreSQL", "Valkey"]
        assert servers.fallen() == []
        assert ask(servers, "SELECT answer FROM kept") == 42


def test_a_killed_server_that_is_still_a_zombie_does_not_stop_the_next(base: Path) -> None:
    with started(base) as servers:
        zombie = postgres(servers).process
        assert zombie is not None
        zombie.send_signal(signal.SIGKILL)
        postgres(servers).process = None  # not reaped: its number still answers signals

        postgres(servers).start()

        assert ask(servers, "SELECT 1") == 1
        assert zombie.wait() == -signal.SIGKILL


def test_the_last_of_two_users_stops_the_servers(base: Path) -> None:
    first = Servers(base, given={}, throwaway=True)
    first.start()

    with started(base) as second:
        first.stop()
        still_up = ask(second, "SELECT 1")
    for server in (postgres(first), valkey(first)):
        assert server.process is not None
        server.process.wait()  # this process is their parent, so it is the one to reap them

    assert still_up == 1
    assert second.fallen() == ["PostgreSQL", "Valkey"]


def test_a_port_that_was_taken_meanwhile_is_replaced(base: Path) -> None:
    with started(base) as servers:
        old = postgres(servers).port

    with socket.create_server(("127.0.0.1", old)), started(base) as servers:
        new = postgres(servers).port
        answer = ask(servers, "SELECT 1")

    assert new != old
    assert answer == 1


def test_a_half_made_database_is_made_again(base: Path) -> None:
    half = base / "postgres.new"
    half.mkdir(mode=0o700)
    (half / "PG_VERSION").write_text("18\n")

    with started(base) as servers:
        answer = ask(servers, "SELECT 1")

    assert answer == 1
    assert not half.exists()


def test_a_folder_that_is_no_database_is_left_alone_and_named(base: Path) -> None:
    (base / "postgres").mkdir()
    (base / "postgres" / "letters.txt").write_text("mine")

    with pytest.raises(CannotStart, match="no complete database: move it away"):
        Servers(base, given={}, throwaway=True).start()

    assert (base / "postgres" / "letters.txt").read_text() == "mine"


def test_lost_keys_are_said_to_be_the_trouble(base: Path) -> None:
    with started(base):
        pass
    (base / "keys.json").unlink()
    servers = Servers(base, given={}, throwaway=True)

    with pytest.raises(CannotStart, match="made with other keys"):
        servers.start()

    assert servers.fallen() == ["PostgreSQL", "Valkey"]


def test_a_damaged_record_is_named(base: Path) -> None:
    (base / "keys.json").write_text('{"postgres": ')

    with pytest.raises(CannotStart, match=r"keys\.json is damaged"):
        Servers(base, given={})


def test_keys_are_for_their_owner_alone_and_stay(base: Path) -> None:
    first = Servers(base, given={}).keys

    again = Servers(base, given={}).keys

    assert again == first
    assert stat.S_IMODE((base / "keys.json").stat().st_mode) == 0o600


def test_servers_named_by_the_environment_are_not_embedded(base: Path) -> None:
    servers = Servers(base, given={"DATABASE_URL": "postgresql://db/x", "REDIS_URL": "redis://r"})

    assert servers.postgres is None
    assert servers.valkey is None
    assert not {"DATABASE_URL", "REDIS_URL"} & servers.environment().keys()
