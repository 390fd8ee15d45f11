"""Log lines without secrets, whoever wrote them."""

from __future__ import annotations

import logging
import re

BLOT = "[redacted]"
# A header or field that carries a credential, up to the end of its value, and bare tokens of
# the common forms. Too much blotted is a nuisance; too little is a leak.
SECRETS = re.compile(
    r"""(?ix)
    (?P<name> (?:proxy-)?authorization | (?:x-)?api[-_]key | sealed_key | password
            | set-cookie | cookie )
    (?P<sign> ["']? \s* [:=] \s* b?["']? )
    (?: (?:bearer|basic|token) \s+ )? [^\s"',;}&]+
    | \b bearer \s+ [^\s"',;}]+
    | \b sk-[\w-]{8,}
    | (?<=://) [^\s/@:]* : [^\s/@]+ (?=@)
    """
)


def blot(text: str) -> str:
    """The text with every credential it seems to hold written over."""
    return SECRETS.sub(_over, text)


def _over(match: re.Match[str]) -> str:
    name = match.group("name")
    return f"{name}{match.group('sign')}{BLOT}" if name else BLOT


class BlottingFormatter(logging.Formatter):
    """Blots the finished line, traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        return blot(super().format(record))
