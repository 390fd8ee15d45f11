"""The shared cache, which may be down: then every page is simply made anew."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Redis trouble is a miss when reading and nothing when writing; never an error page."""

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        return _forgive(super().get, default, key, default, version)

    def get_many(self, keys: Any, version: int | None = None) -> dict[Any, Any]:
        found: dict[Any, Any] = _forgive(super().get_many, {}, keys, version)
        return found

    def add(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(_forgive(super().add, False, key, value, *args, **kwargs))

    def set(self, key: Any, value: Any, *args: Any, **kwargs: Any) -> None:
        _forgive(super().set, None, key, value, *args, **kwargs)

    def set_many(self, data: Any, *args: Any, **kwargs: Any) -> list[Any]:
        failed: list[Any] = _forgive(super().set_many, list(data), data, *args, **kwargs)
        return failed

    def touch(self, key: Any, *args: Any, **kwargs: Any) -> bool:
        return bool(_forgive(super().touch, False, key, *args, **kwargs))

    def delete(self, key: Any, version: int | None = None) -> bool:
        return bool(_forgive(super().delete, False, key, version))

    def has_key(self, key: Any, version: int | None = None) -> bool:
        return bool(_forgive(super().has_key, False, key, version))


def _forgive(ask: Callable[..., Any], otherwise: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return ask(*args, **kwargs)
    except RedisError as error:
        logger.warning("The cache does not answer: %s", type(error).__name__)
        return otherwise
