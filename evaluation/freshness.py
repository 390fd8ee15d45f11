"""When public content last changed, as every process sees it at once.

Pages remember the content version for a moment. Whoever changes what the public sees, be it by
a publication, a judging anew, a name or a table, says so here.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import uuid4

from django.core.cache import cache
from django.db import transaction

GENERATION = "content-generation"  # the shared cache's key
_followers: list[Callable[[], None]] = []


def follow(act: Callable[[], None]) -> None:
    """Have this called after every committed change, in the process that made it.

    It must be quick, and trouble in it is its own.
    """
    if act not in _followers:
        _followers.append(act)


def announce() -> None:
    """Once this transaction is committed, let every process notice that public content changed."""
    transaction.on_commit(_spread)


def _spread() -> None:
    renew()
    for act in _followers:
        act()


def renew() -> None:
    """Have every page made anew, though no row has changed: something better is known of it."""
    cache.set(GENERATION, uuid4().hex, None)


def generation() -> str:
    """Changes with `announce` and `renew`: what was kept under another one may be out of date."""
    found: str = cache.get(GENERATION, "")
    return found
