"""When public content last changed, as every process sees it at once.

Pages remember the content version for a moment. Whoever changes what the public sees, be it by
a publication, a judging anew, a name or a table, says so here.
"""

from __future__ import annotations

from uuid import uuid4

from django.core.cache import cache
from django.db import transaction

GENERATION = "content-generation"  # the shared cache's key


def announce() -> None:
    """Once this transaction is committed, let every process notice that public content changed."""
    transaction.on_commit(_raise_generation)


def _raise_generation() -> None:
    cache.set(GENERATION, uuid4().hex, None)


def generation() -> str:
    """A text that `announce` changes: what was remembered under another one may be out of date."""
    found: str = cache.get(GENERATION, "")
    return found
