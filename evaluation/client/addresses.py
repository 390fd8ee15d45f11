"""What may stand in an address, and which are public. What is not known to be public is not.

Python's own `is_global` differs between patch releases and calls some translation prefixes
global, through which a private IPv4 address could be reached; so the list is ours.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from yarl import URL

from evaluation.client.errors import AddressRefused

MAX_URL = 2000  # characters
# IANA special-purpose registry, and the fixed address of one cloud's metadata service.
NOT_PUBLIC_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",  # loopback
        "168.63.129.16/32",  # Azure's host agent
        "169.254.0.0/16",  # link-local, metadata services
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # automatic multicast tunnelling
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
# Only this is handed out for public use, less what is carved out below. Loopback, link-local,
# unique-local, multicast, IPv4-mapped and NAT64 addresses all lie outside it.
PUBLIC_6 = IPv6Network("2000::/3")
NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: holds an IPv4 address
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
ISATAP = (0x00005EFE, 0x02005EFE)  # interface identifiers that hold an IPv4 address


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """True for an address that belongs to the public internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    if address.scope_id is not None or address not in PUBLIC_6:
        return False
    if (int(address) >> 32) & 0xFFFFFFFF in ISATAP:
        return False
    return not any(address in network for network in NOT_PUBLIC_6)


def parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    """The address a text spells in its one canonical form, None if it spells none."""
    try:
        return ip_address(text)
    except ValueError:
        return None


def parse_address(url: str) -> URL:
    """Read an address with the parser that connects, and refuse what does not belong in one.

    Raises:
        AddressRefused: The message says in one sentence what to change.
    """
    if len(url) > MAX_URL:
        raise AddressRefused(f"The address has more than {MAX_URL} characters.")
    if not url.isprintable() or any(character in url for character in " \\"):
        raise AddressRefused("The address may hold no spaces, backslashes or control characters.")
    authority = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0]
    if "@" in authority:
        raise AddressRefused("Remove what stands before the “@”: a key belongs in the key field.")
    if "#" in url:
        raise AddressRefused("Remove what follows the “#” in the address.")
    if "%" in authority or not authority:
        raise AddressRefused("Enter the whole address, like https://host/v1.")
    try:
        parsed = URL(url)
        is_usable = bool(parsed.raw_host) and parsed.port is not None
    except ValueError as error:
        raise AddressRefused("This is no web address: enter one like https://host/v1.") from error
    if not is_usable or parsed.scheme not in ("http", "https"):
        raise AddressRefused("Only https addresses can be asked: enter one like https://host/v1.")
    return parsed
