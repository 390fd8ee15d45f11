#!/usr/bin/env python
"""Callboard's command line.

Commands that need the database find servers of this clone running: they are started here,
before the settings are read, and stopped afterwards unless somebody else uses them.
"""

import os
import sys
from contextlib import AbstractContextManager, nullcontext

WITHOUT_DJANGO = ("score", "show_requests")
WITHOUT_DATABASE = (
    *("check", "collectstatic", "compilemessages", "diffsettings", "doctor", "findstatic", "help"),
    *("makemigrations", "makemessages", "reference_endpoint", "sqlmigrate", "version"),
)
OPERATORS_OWN = ("CALLBOARD_SECRET_KEY", "CALLBOARD_KEYS", "CALLBOARD_HOSTS")


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    try:
        if command in WITHOUT_DJANGO:
            return answer_at_once(command, sys.argv[2:])
        from leaderboard.embedded.errors import CannotStart

        try:
            with servers_for(command, sys.argv[2:]):
                return run_command()
        except CannotStart as trouble:
            return complain(str(trouble))
    except ImportError as error:
        if error.name in ("django", "psutil", "psycopg", "redis"):
            return complain("The requirements are not installed: run `make setup`, then make run.")
        raise
    except KeyboardInterrupt:
        return 130


def run_command() -> int:
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as trouble:
        return complain(str(trouble))
    return 0


def answer_at_once(command: str, arguments: list[str]) -> int:
    """Commands that only read files answer without a framework being set up."""
    if command == "score":
        from evaluation.cli.score import main as answer
    else:
        from evaluation.cli.show_requests import main as answer
    return answer(arguments)


def servers_for(command: str, arguments: list[str]) -> AbstractContextManager[object]:
    """The embedded servers, where the command needs any and the environment names none."""
    from leaderboard.embedded import servers

    given = os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")
    is_plain = command in WITHOUT_DATABASE or command.startswith("-")
    if is_plain or {"-h", "--help"} & set(arguments):
        if not given and not any(name in os.environ for name in OPERATORS_OWN):
            os.environ["CALLBOARD_LOCAL"] = "1"
        return nullcontext()
    if given and command != "up" and not (servers.data_folder() / "keys.json").is_file():
        return nullcontext()
    return servers.running(servers.data_folder())


def complain(sentence: str) -> int:
    sys.stderr.write(f"{sentence}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
