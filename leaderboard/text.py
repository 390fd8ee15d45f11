"""Foreign text: what hides in it is shown, and only web addresses become links. Pure."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

# Characters that reorder, hide or join what stands around them. Shown as their code, so that a
# name cannot pretend to be another one. Zero-width joiners are kept: scripts and emoji need them.
INVISIBLE = (
    frozenset(
        map(chr, [0xAD, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028, 0x2029])
    )
    | frozenset(
        chr(code)
        for first, last in [
            (0x202A, 0x202E),
            (0x2060, 0x206F),
            (0xFFF9, 0xFFFB),
            (0xE0000, 0xE007F),
        ]
        for code in range(first, last + 1)
    )
    | {"\ufeff", "\u3164", "\uffa0"}
)
PLAIN_CONTROLS = frozenset("\n\t")


def make_visible(text: str) -> str:
    """Text in which control, direction and invisible characters stand as ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if _hides(char) else char for char in text)


def _hides(char: str) -> bool:
    if char in PLAIN_CONTROLS:
        return False
    return char in INVISIBLE or unicodedata.category(char) in ("Cc", "Cs")


def web_link(url: str) -> str:
    """The address if a reader may be sent there (http or https), else nothing."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""
