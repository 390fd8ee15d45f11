"""Work spread over this machine's cores: what the other processes run.

Imported there before Django is set up, so nothing here may need it at import.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import Any


def each(work: Callable[[Any], int], shares: Sequence[Any]) -> Iterator[int]:
    """Have every share done by a process of its own; gives results as they come.

    `work` is a function of a module that can be imported without Django. Raises what it raises.
    """
    context = get_context("spawn")  # a fork would share database connections
    with ProcessPoolExecutor(len(shares), context, initializer=_set_up) as pool:
        for done in as_completed([pool.submit(work, share) for share in shares]):
            yield done.result()


def _set_up() -> None:
    import django

    django.setup()


def judge(share: list[tuple[int, int, int]]) -> int:
    """Judge chunks given as category, number and scoring; how many there were."""
    from evaluation.runner.rejudging import Bench, Chunk

    bench = Bench()
    try:
        for place in share:
            bench.judge(Chunk(*place))
    finally:
        bench.close()
    return len(share)
