"""What is not taken, as errors of the API: each with the status that says what to do next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NoReturn

from django.utils import timezone
from rest_framework import exceptions

from evaluation.benchmarks.bfcl_v4.result_files import ResultsRefused
from evaluation.services.scheduling import CannotSchedule
from evaluation.services.uploads import CannotStore
from submissions.moderation import Banned
from submissions.quotas import UsedUp
from submissions.refusals import Refused
from submissions.services import NameTaken
from submissions.uploads import Busy, TooLarge

PROBLEMS_LISTED = 50
MINUTE = 60  # seconds


class Conflict(exceptions.APIException):
    """What was asked does not fit the state that something is in."""

    status_code = 409


class NoRoom(Conflict):
    """Too many cases are in flight; nobody can say when a run ends."""

    problem: ClassVar[str] = "cases-in-flight"


class Later(exceptions.APIException):
    """The same request may be taken in `wait` seconds, which becomes Retry-After."""

    def __init__(self, detail: str, wait: int) -> None:
        super().__init__(detail)
        self.wait = wait


class LimitReached(Later):
    """The week's runs are used up."""

    status_code = 429
    problem: ClassVar[str] = "limit-reached"


class NotNow(Later):
    """Too much is under way here; nothing is wrong with the request."""

    status_code = 503


class AccountBanned(exceptions.PermissionDenied):
    problem: ClassVar[str] = "account-banned"


class FileTooLarge(exceptions.APIException):
    status_code = 413


@contextmanager
def told_as_problems() -> Iterator[None]:
    """Turn what forms' services refuse into the API's errors."""
    try:
        yield
    except NameTaken as taken:
        raise exceptions.ValidationError({"name": [str(taken)]}) from taken
    except CannotSchedule as refused:
        raise exceptions.ValidationError({"categories": [str(refused)]}) from refused
    except Refused as refused:
        raise problem_of(refused) from refused
    except ResultsRefused as refused:
        raise exceptions.ValidationError({"file": _report(refused)}) from refused
    except TooLarge as refused:
        raise FileTooLarge(str(refused)) from refused
    except CannotStore as refused:
        raise exceptions.ValidationError({"file": [str(refused)]}) from refused


def problem_of(refused: Refused) -> exceptions.APIException:
    """The error that says whether waiting helps, and how long."""
    if isinstance(refused, UsedUp):
        if refused.frees is None:
            return NoRoom(str(refused))
        left = (refused.frees - timezone.now()).total_seconds()
        return LimitReached(str(refused), max(1, math.ceil(left)))
    if isinstance(refused, Banned):
        return AccountBanned(str(refused))
    if isinstance(refused, Busy):
        return NotNow(str(refused), MINUTE)
    return Conflict(str(refused))


def refuse(errors: Any) -> NoReturn:
    """A form's errors as the API's, each by its field."""
    found = {name: [str(error) for error in errors[name]] for name in errors}
    raise exceptions.ValidationError(
        {name.replace("__all__", "body"): found[name] for name in found}
    )


def _report(refused: ResultsRefused) -> list[str]:
    lines = [
        f"{one.file}{f', line {one.line}' if one.line else ''}: {one.reason}"
        for one in refused.problems[:PROBLEMS_LISTED]
    ]
    more = len(refused.problems) - len(lines) + refused.more
    return [*lines, f"And {more} more."] if more else lines
