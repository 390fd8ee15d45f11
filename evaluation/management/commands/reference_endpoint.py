"""Serve the reference endpoint: a baseline everybody can run, and a way to try the product."""

from __future__ import annotations

from typing import Any

from aiohttp import web
from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.reference.server import MODEL, Behaviour, ReferenceEndpoint


class Command(BaseCommand):
    help = "Serve an OpenAI-compatible endpoint whose answers come from word overlap alone."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", type=int, default=8099)
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--key", default="", help="require this API key as a bearer token")
        parser.add_argument(
            "--latency", type=float, default=0.0, metavar="SECONDS", help="wait before answering"
        )
        parser.add_argument(
            "--fail-every", type=int, default=0, metavar="N", help="fail each N-th request"
        )
        parser.add_argument(
            "--fail-status", type=int, default=503, metavar="STATUS", help="and fail with this"
        )

    def handle(self, *, host: str, port: int, **options: Any) -> None:
        behaviour = Behaviour(
            key=options["key"],
            latency=options["latency"],
            fail_every=options["fail_every"],
            fail_status=options["fail_status"],
        )

        def announce(_: str) -> None:
            """Called once the port is open."""
            self.stdout.write(f"Reference endpoint: http://{host}:{port}/v1, model {MODEL}")
            self.stdout.flush()

        try:
            web.run_app(
                ReferenceEndpoint(behaviour).app(),
                host=host,
                port=port,
                print=announce,
                access_log=None,
                shutdown_timeout=1.0,
            )
        except OSError as error:
            raise CommandError(
                f"Port {port} cannot be used ({error.strerror}): choose another with --port."
            ) from error
