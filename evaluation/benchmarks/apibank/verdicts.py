"""Verdicts on calls, and the classes of error they name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

UPSTREAM, REPAIRED = "upstream", "repaired"
PROFILES = (REPAIRED, UPSTREAM)  # the first is the default


class ErrorClass(StrEnum):
    """Why a call is wrong. The names are those of the published evaluator where it has one."""

    CORRECT = "CORRECT"
    NO_API_CALL = "NO_API_CALL"
    FAILED_PARSE = "FAILED_PARSE_API_CALL"
    NAME_MISMATCH = "API_NAME_MISMATCH"
    INVALID_TOOL_NAME = "INVALID_TOOL_NAME"
    INVALID_PARAMETER = "INVALID_INPUT_PARAMETER"
    MISSING_ARGUMENT = "MISS_INPUT_ARGUMENT"
    HAS_EXCEPTION = "HAS_EXCEPTION"
    OUTPUT_MISMATCH = "OUTPUT_MISMATCH"
    INPUT_MISMATCH = "INPUT_MISMATCH"
    MISMATCH = "MISMATCH"
    KEY_ERROR = "KEY_ERROR"
    TYPE_ERROR = "TYPE_ERROR"
    CRASH = "CRASH"
    SEVERAL_CALLS = "SEVERAL_CALLS"
    WRONG_TYPE = "WRONG_PARAMETER_TYPE"
    UNSOLVED = "TASK_UNSOLVED"
    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    NEEDS_MODEL = "NEEDS_MODEL"
    NEEDS_NETWORK = "NEEDS_NETWORK"
    EXCLUDED = "EXCLUDED"


@dataclass(frozen=True, slots=True)
class CallVerdict:
    """`valid` is None where the call cannot be decided or is excluded."""

    valid: bool | None
    error_class: ErrorClass
    message: str = ""
    where: str = ""


RIGHT = CallVerdict(True, ErrorClass.CORRECT)


def wrong(error_class: ErrorClass, message: str = "", where: str = "") -> CallVerdict:
    return CallVerdict(False, error_class, message, where)


def open_question(error_class: ErrorClass, message: str = "") -> CallVerdict:
    return CallVerdict(None, error_class, message)
