"""No address of a submitter's reaches anything but the public internet."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv6Address

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given
from hypothesis import strategies as some
from yarl import URL

from evaluation.client.addresses import is_public, parse_ip
from evaluation.client.endpoint import EndpointClient, Exchange, Target
from evaluation.client.errors import AddressRefused, Effect
from evaluation.client.guard import Guard, make_session
from tests.evaluation.client.asking import WITH_TOOLS, ask
from tests.fakes import FakeEndpoint, Scripted, completion

NAME = "models.example.com"
PUBLIC = "93.184.216.34"
TRICKS = [
    # Spellings of loopback and of this host.
    "https://127.0.0.1:{port}/v1",
    "http://127.0.0.1:{port}/v1",
    "https://127.0.0.1/v1",
    "https://127.1:{port}/v1",
    "https://127.0.1:{port}/v1",
    "https://2130706433:{port}/v1",
    "https://0x7f000001:{port}/v1",
    "https://0x7f.0.0.1:{port}/v1",
    "https://0177.0.0.1:{port}/v1",
    "https://017700000001:{port}/v1",
    "https://127.0.0.01:{port}/v1",
    "https://0.0.0.0:{port}/v1",
    "https://0:{port}/v1",
    "https://localhost:{port}/v1",
    "https://LOCALHOST:{port}/v1",
    "https://localhost.:{port}/v1",
    "https://127.0.0.1.:{port}/v1",
    "https://api.localhost:{port}/v1",
    "https://localhost.localdomain:{port}/v1",
    "https://[::1]:{port}/v1",
    "https://[::]:{port}/v1",
    "https://[0:0:0:0:0:0:0:1]:{port}/v1",
    "https://[::ffff:127.0.0.1]:{port}/v1",
    "https://[::ffff:7f00:1]:{port}/v1",
    "https://[::127.0.0.1]:{port}/v1",
    "https://[::1%25lo]:{port}/v1",
    "https://[fe80::1%25eth0]/v1",
    "https://１２７.０.０.１:{port}/v1",
    "https://127。0。0。1:{port}/v1",
    "https://ⓛocalhost:{port}/v1",
    # Addresses that hold an IPv4 address.
    "https://[64:ff9b::7f00:1]/v1",
    "https://[64:ff9b:1::7f00:1]/v1",
    "https://[2002:7f00:1::]/v1",
    "https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/v1",
    "https://[2606:4700::5efe:7f00:1]/v1",
    # Private, shared, link-local, reserved; metadata services.
    "https://10.0.0.1/v1",
    "https://172.16.0.1/v1",
    "https://172.31.255.254/v1",
    "https://192.168.1.1/v1",
    "https://100.64.0.1/v1",
    "https://100.100.100.200/latest/meta-data",
    "https://169.254.169.254/latest/meta-data",
    "http://169.254.169.254/latest/meta-data",
    "https://169.254.170.2/v2/credentials",
    "https://192.0.0.192/opc/v2",
    "https://168.63.129.16/metadata",
    "https://198.18.0.1/v1",
    "https://192.0.2.1/v1",
    "https://224.0.0.1/v1",
    "https://255.255.255.255/v1",
    "https://[fd00:ec2::254]/v1",
    "https://[fc00::1]/v1",
    "https://[fe80::1]/v1",
    "https://[fec0::1]/v1",
    "https://[ff02::1]/v1",
    "https://[2001:db8::1]/v1",
    "https://[100::1]/v1",
    "https://metadata.google.internal/computeMetadata/v1",
    "https://metadata/v1",
    "https://postgres:5432/v1",
    "https://printer.local/v1",
    "https://wiki.corp/v1",
    # What does not belong in an address.
    "https://user@models.example.com/v1",
    "https://user:password@127.0.0.1:{port}/v1",
    "https://models.example.com@127.0.0.1:{port}/v1",
    "https://models.example.com#@127.0.0.1:{port}/v1",
    "https://127.0.0.1:{port}\\@models.example.com/v1",
    "https://models.example.com\\.127.0.0.1/v1",
    "https://models.example.com/v1#fragment",
    "https://127.0.0.1%2f.example.com/v1",
    "https://127.0.0.1%00.example.com/v1",
    "https://models.example.com\r\nHost: 127.0.0.1/v1",
    "https://models.example.com /v1",
    "https:///v1",
    "https:127.0.0.1:{port}/v1",
    "//127.0.0.1:{port}/v1",
    "127.0.0.1:{port}/v1",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_",
    "ftp://models.example.com/v1",
    "data:application/json,{{}}",
    "unix:///var/run/docker.sock",
    "http://models.example.com/v1",
    # Ports.
    "https://models.example.com:22/v1",
    "https://models.example.com:6379/v1",
    "https://models.example.com:0/v1",
    "https://models.example.com:99999/v1",
    "https://models.example.com:-1/v1",
    "https://[::1/v1",
    "https://a..b/v1",
    "https://-.example.com/v1",
    "https://" + "a" * 3000 + ".com/v1",
]
# What a name server may answer to trick us.
ANSWERS = [
    ["127.0.0.1"],
    ["10.1.2.3"],
    ["169.254.169.254"],
    ["100.64.0.7"],
    ["0.0.0.0"],
    ["::1"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["2002:7f00:1::"],
    ["fd00::1"],
    ["fe80::1%eth0"],
    [PUBLIC, "127.0.0.1"],
    ["127.0.0.1", PUBLIC],
    [PUBLIC, "::1"],
    ["not-an-address"],
    [],
]


class FakeResolver(AbstractResolver):
    """Answers every name with the next of the given lists of addresses."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        addresses = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return [
            ResolveResult(
                hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0
            )
            for address in addresses
        ]

    async def close(self) -> None:
        pass


@contextmanager
def listener() -> Iterator[socket.socket]:
    """A real listener on loopback that nobody should ever reach."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.setblocking(False)
        yield server


def was_reached(server: socket.socket) -> bool:
    try:
        connection, _ = server.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True


def ask_address(base_url: str, resolver: AbstractResolver, guard: Guard | None = None) -> Exchange:
    """Ask an address, with every check of the address as written left out but the guard's own."""

    async def once() -> Exchange:
        async with make_session(guard or Guard(), resolver=resolver) as session:
            client = EndpointClient(session, Target(f"https://{NAME}", "m", timeout=2))
            client.url = base_url
            return await client.ask(WITH_TOOLS)

    return asyncio.run(once())


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_is_refused_before_anything_is_asked(trick: str) -> None:
    with listener() as server:
        url = trick.format(port=server.getsockname()[1])

        with pytest.raises(AddressRefused) as refusal:
            Guard().check_url(url)

        assert str(refusal.value).endswith(".")


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_that_reached_the_session_is_refused_there(trick: str) -> None:
    resolver = FakeResolver(["127.0.0.1"])
    with listener() as server:
        url = trick.format(port=server.getsockname()[1])

        exchange = ask_address(url, resolver)

        assert exchange.trouble is not None
        assert exchange.status is None
        assert not was_reached(server)
    assert set(resolver.asked) <= {NAME}


@pytest.mark.parametrize("addresses", ANSWERS, ids=lambda one: "+".join(one) or "none")
def test_a_name_with_any_inner_address_is_refused(addresses: list[str]) -> None:
    exchange = ask_address(f"https://{NAME}/v1", FakeResolver(addresses))

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.STOP
    assert "public" in exchange.trouble.sentence


def test_a_name_that_changes_its_mind_is_refused_at_the_next_connection() -> None:
    guard = Guard()
    guard.check_resolved(NAME, 443, [PUBLIC])

    with pytest.raises(AddressRefused):
        guard.check_resolved(NAME, 443, ["127.0.0.1"])
    with pytest.raises(AddressRefused):
        guard.check_connection("127.0.0.1", 443)


def test_a_socket_is_checked_even_if_all_else_was_fooled() -> None:
    class Fooled(Guard):
        def check_url(self, url: str) -> None:
            """Let everything pass."""

    with listener() as server:
        port = server.getsockname()[1]

        exchange = ask_address(f"http://127.0.0.1:{port}/v1", FakeResolver([]), Fooled())

        assert exchange.trouble is not None
        assert not was_reached(server)


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1/chat/completions",
        "https://example.com:8443/v1",
        "https://bücher.example/v1",
        "https://8.8.8.8/v1",
        "https://[2606:4700:4700::1111]/v1",
        "https://example.com/v1?api-version=2024-10-21",
        "https://my_host.example.com/v1",
    ],
)
def test_a_public_address_may_be_asked(url: str) -> None:
    Guard().check_url(url)


@pytest.mark.parametrize(
    ("listed", "url"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8000/v1"),
        ("localhost:8000", "http://localhost:8000/v1"),
        ("localhost", "http://LOCALHOST:1234/v1"),
        ("[::1]:8000", "http://[::1]:8000/v1"),
        (" models.lan:80 , other:1", "http://models.lan/v1"),
    ],
)
def test_the_operator_s_list_opens_exactly_what_it_names(listed: str, url: str) -> None:
    guard = Guard.listing(listed)

    guard.check_url(url)

    assert guard.lists(url)
    with pytest.raises(AddressRefused):
        guard.check_url("http://127.0.0.2:8000/v1")
    with pytest.raises(AddressRefused):
        guard.check_url(url.replace("//", "//user@"))


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/v1", "http://localhost:11434/v1"])
def test_a_private_address_without_tls_is_told_of_the_operator_s_list_not_of_https(
    url: str,
) -> None:
    with pytest.raises(AddressRefused, match="CALLBOARD_ALLOW"):
        Guard().check_url(url)


def test_a_listed_name_may_mean_a_private_address() -> None:
    with FakeEndpoint(completion("hello")) as endpoint:
        guard = Guard.listing(f"models.lan:{endpoint.port}")
        resolver = FakeResolver(["127.0.0.1"])

        exchange = ask_address(f"http://models.lan:{endpoint.port}/v1", resolver, guard)

    assert exchange.completion is not None
    assert endpoint.requests[0].headers["host"] == f"models.lan:{endpoint.port}"


def test_a_listed_name_does_not_open_its_address_to_other_names() -> None:
    guard = Guard.listing("models.lan:443")
    guard.check_resolved("models.lan", 443, ["10.0.0.9"])

    with pytest.raises(AddressRefused):
        guard.check_resolved(NAME, 443, ["10.0.0.9"])


def test_a_redirect_is_never_followed() -> None:
    with FakeEndpoint(completion("inner")) as inner:
        elsewhere = {"location": f"{inner.base_url}/chat/completions"}
        with FakeEndpoint(Scripted(307, elsewhere)) as endpoint:
            exchange = ask(endpoint, key="k" * 20)

    assert exchange.trouble is not None
    assert exchange.trouble.effect is Effect.STOP
    assert inner.requests == []


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEndpoint(completion("proxy")) as proxy, FakeEndpoint(completion("real")) as endpoint:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://{proxy.host}")

        exchange = ask(endpoint)

    assert exchange.completion is not None
    assert exchange.completion.answer.result == "real"
    assert proxy.requests == []


def test_cookies_are_neither_kept_nor_sent() -> None:
    told = {"content-type": "application/json", "set-cookie": "a=b; Path=/"}
    cookie = Scripted(200, told, completion("x").body)

    async def twice(endpoint: FakeEndpoint) -> None:
        async with make_session(Guard.listing(endpoint.host)) as session:
            client = EndpointClient(session, Target(endpoint.base_url, "m"))
            await client.ask(WITH_TOOLS)
            await client.ask(WITH_TOOLS)
            assert isinstance(session.cookie_jar, aiohttp.DummyCookieJar)

    with FakeEndpoint(cookie) as endpoint:
        asyncio.run(twice(endpoint))

    assert all("cookie" not in request.headers for request in endpoint.requests)
    assert len(endpoint.requests) == 2


@given(
    some.text("https:/.@#?%[]\\0123456789abcxé。１-_ \n", max_size=40)
    | some.builds("https://{}".format, some.text(max_size=30))
    | some.builds("https://{}/v1".format, some.ip_addresses())
)
def test_any_text_is_a_public_address_or_refused(text: str) -> None:
    try:
        Guard().check_url(text)
    except AddressRefused:
        return

    address = parse_ip(URL(text).raw_host or "")
    assert text.startswith("https://")
    assert address is None or is_public(address)


@given(some.ip_addresses())
def test_what_is_called_public_is_public_to_python_too(
    address: IPv4Address | IPv6Address,
) -> None:
    assert not is_public(address) or address.is_global
