"""The shared cache, which may be down: then every page is simply made anew.

Limits count in it too. Without it each web process counts for itself, so that people can sign in
and guessers are still stopped.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as Silence

logger = logging.getLogger(__name__)

LIMITS = ("allauth:rl:", "api-rate:", "api-person:")  # how keys of limits begin
ALONE = 1.0  # seconds for which nobody waits for it again: a page, a sign-in ask it many times


class ForgivingRedisCache(RedisCache):
    """Redis trouble is a miss when reading and nothing when writing; never an error page."""

    # Of the process: there is an instance for each thread.
    _asked_again_at = 0.0
    _is_silent = False  # it takes what is asked and says nothing, so that asking costs seconds

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        own = {"OPTIONS": {"MAX_ENTRIES": 20_000}, "KEY_PREFIX": self.key_prefix}
        self._own = LocMemCache("limits", own)

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return self._forgive("get", default, key, default, version)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        found: dict[Any, Any] = self._forgive("get_many", {}, keys, version)
        return found

    def add(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(self._forgive("add", False, key, value, *args, **kwargs))

    def set(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> None:
        self._forgive("set", None, key, value, *args, **kwargs)

    def set_many(self, data: Any, *args: Any, **kwargs: Any) -> list[Any]:
        failed: list[Any] = self._forgive("set_many", list(data), data, *args, **kwargs)
        return failed

    def touch(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(self._forgive("touch", False, key, *args, **kwargs))

    def delete(self, key: Any, version: int | None = None) -> bool:
        return bool(self._forgive("delete", False, key, version))

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return bool(self._forgive("has_key", False, key, version))

    def _forgive(self, verb: str, otherwise: Any, key: Any, *args: Any, **kwargs: Any) -> Any:
        shared = ForgivingRedisCache
        is_limit = isinstance(key, str) and key.startswith(LIMITS)
        is_alone = time.monotonic() < shared._asked_again_at and (is_limit or shared._is_silent)
        if not is_alone:
            try:
                return getattr(super(), verb)(key, *args, **kwargs)
            except RedisError as error:
                logger.warning("The cache does not answer: %s", type(error).__name__)
                shared._asked_again_at = time.monotonic() + ALONE
                shared._is_silent = isinstance(error, Silence)
        own: Callable[..., Any] = getattr(self._own, verb)
        return own(key, *args, **kwargs) if is_limit else otherwise
