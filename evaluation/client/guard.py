"""The wall between submitters' addresses and our network.

Three checks, each enough alone: the address as written, every address its name resolves to, and
the address a socket is about to connect to. The last two hold for each new connection, and the
connection goes to the very address that was checked, so that a name cannot change its mind in
between. Redirects, proxies and cookies do not exist here.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.tracing import Trace
from yarl import URL

from evaluation.client.addresses import is_public, parse_address, parse_ip
from evaluation.client.errors import AddressRefused
from evaluation.client.limits import Limits

PUBLIC_PORTS = frozenset({443, 4443, 8443})
# A host as it may stand in an address, after international names are encoded.
HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))+")
NUMERIC = re.compile(r"(0x[0-9a-f]*|[0-9]+)")
# Names that are never on the public internet, whatever a resolver says.
INNER_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "arpa", "test")
DNS_SECONDS = 10  # how long a checked answer is used for further connections
NOT_PUBLIC = (
    "This address is not on the public internet: enter the endpoint's public address, or have"
    " this site's operator list it in CALLBOARD_ALLOW."
)


@dataclass(frozen=True)
class Guard:
    """Decides which addresses may be asked.

    `allowed` holds what the operator lists, as `host:port` or `host` (any port), in lower case,
    IPv6 addresses in brackets. Listed hosts may be private and may speak plain http.
    """

    allowed: frozenset[str] = frozenset()
    # Addresses (IP, port) that a listed name was found to mean; filled by the resolver.
    approved: set[tuple[str, int]] = field(default_factory=set, compare=False)

    @classmethod
    def listing(cls, entries: str | Iterable[str]) -> Guard:
        """A guard for the operator's list, as entries or as one comma-separated text."""
        found = entries.split(",") if isinstance(entries, str) else entries
        return cls(frozenset(entry.strip().lower() for entry in found if entry.strip()))

    def lists(self, url: str) -> bool:
        """True if the operator lists this address's host and port."""
        try:
            parsed = URL(url)
            return self.lists_host(parsed.raw_host or "", parsed.port or 0)
        except ValueError:
            return False

    def lists_host(self, host: str, port: int) -> bool:
        name = f"[{host}]" if ":" in host else host
        return name in self.allowed or f"{name}:{port}" in self.allowed

    def check_url(self, url: str) -> None:
        """Refuse what can be refused without asking a name server.

        Raises:
            AddressRefused: The message says in one sentence what to change.
        """
        parsed = parse_address(url)
        host, port = parsed.raw_host or "", parsed.port or 0
        if self.lists_host(host, port):
            self._approve_literal(host, port)
            return
        self._check_host(host)  # first: https would not make a private address public
        if parsed.scheme != "https":
            raise AddressRefused("Only https addresses can be asked: enter one with https://.")
        if port not in PUBLIC_PORTS:
            ports = ", ".join(str(number) for number in sorted(PUBLIC_PORTS))
            raise AddressRefused(f"Port {port} cannot be asked: the endpoint must be at {ports}.")

    def _approve_literal(self, host: str, port: int) -> None:
        if parse_ip(host):
            self.approved.add((host, port))

    def _check_host(self, host: str) -> None:
        if address := parse_ip(host):
            if not is_public(address):
                raise AddressRefused(NOT_PUBLIC)
            return
        last = host.rpartition(".")[2]
        if NUMERIC.fullmatch(last):
            raise AddressRefused("Write the IP address as four plain decimal numbers.")
        if not HOST.fullmatch(host) or last in INNER_NAMES or len(host) > 253:
            raise AddressRefused(NOT_PUBLIC)

    def check_resolved(self, host: str, port: int, addresses: Iterable[str]) -> None:
        """Refuse a name if any of its addresses is not public. Raises AddressRefused."""
        found = list(addresses)
        if self.lists_host(host, port):
            self.approved.update((address, port) for address in found)
            return
        if not found or not all(self._is_public(address) for address in found):
            raise AddressRefused(NOT_PUBLIC)

    def check_connection(self, address: str, port: int) -> None:
        """Refuse a connection that is about to be made. Raises AddressRefused."""
        if (address, port) not in self.approved and not self._is_public(address):
            raise AddressRefused(NOT_PUBLIC)

    @staticmethod
    def _is_public(text: str) -> bool:
        address = parse_ip(text)
        return address is not None and is_public(address)


class GuardedResolver(AbstractResolver):
    """Resolves a name and lets its addresses through only if all of them may be asked."""

    def __init__(self, guard: Guard, inner: AbstractResolver) -> None:
        self.guard = guard
        self.inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self.inner.resolve(host, port, family)
        self.guard.check_resolved(host, port, [result["host"] for result in found])
        return found

    async def close(self) -> None:
        await self.inner.close()


class GuardedConnector(aiohttp.TCPConnector):
    """Checks each address as written, and each socket before it connects.

    Addresses given as numbers reach no resolver, hence the check of sockets.
    """

    def __init__(self, guard: Guard, inner: AbstractResolver | None) -> None:
        self._guard = guard
        super().__init__(
            resolver=GuardedResolver(guard, inner or aiohttp.ThreadedResolver()),
            socket_factory=self._guarded_socket,
            ttl_dns_cache=DNS_SECONDS,
            limit=0,  # how many requests are in flight is the caller's rule
            keepalive_timeout=30,
        )

    def _guarded_socket(self, info: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, address = info
        self._guard.check_connection(str(address[0]), int(address[1]))
        return socket.socket(family, kind, protocol)

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout
    ) -> aiohttp.connector.Connection:
        self._guard.check_url(str(req.url))
        return await super().connect(req, traces, timeout)


def make_session(
    guard: Guard, limits: Limits | None = None, resolver: AbstractResolver | None = None
) -> aiohttp.ClientSession:
    """The one session through which endpoints are asked; make it in a running event loop.

    `resolver` replaces the system's name resolution, for tests.
    """
    limits = limits or Limits()
    return aiohttp.ClientSession(
        connector=GuardedConnector(guard, resolver),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        raise_for_status=False,
        timeout=aiohttp.ClientTimeout(
            total=None, connect=limits.connect, sock_connect=limits.connect
        ),
        max_line_size=limits.header_line,
        max_field_size=limits.header_line,
        headers={"Accept": "application/json", "Accept-Encoding": "gzip, deflate"},
    )
