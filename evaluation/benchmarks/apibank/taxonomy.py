"""The paper's classes of error, and how they meet the faults that all benchmarks share.

Every wrong call falls into exactly one class by rule, nothing is left to a reader's judgement.
The classes apply to other benchmarks through their faults, so that plots can be compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from evaluation.benchmarks.apibank.verdicts import ErrorClass
from evaluation.benchmarks.suite import FaultClasses
from evaluation.engine.types import Fault


class PaperClass(StrEnum):
    """Error classes as the paper names them; OTHER gathers what it does not know."""

    NO_API_CALL = "No API call"
    HALLUCINATION = "API hallucination"
    INVALID_PARAMETERS = "Invalid input parameters"
    FALSE_FORMAT = "False API call format"
    MISSING_PARAMETERS = "Missing input parameters"
    HAS_EXCEPTION = "Has exception"
    OTHER = "Other"


FAULTS: Mapping[ErrorClass, Fault] = MappingProxyType(
    {
        ErrorClass.NO_API_CALL: Fault.NO_CALL,
        ErrorClass.FAILED_PARSE: Fault.MALFORMED,
        ErrorClass.NAME_MISMATCH: Fault.WRONG_FUNCTION,
        ErrorClass.INVALID_TOOL_NAME: Fault.WRONG_FUNCTION,
        ErrorClass.INVALID_PARAMETER: Fault.UNEXPECTED_ARGUMENT,
        ErrorClass.MISSING_ARGUMENT: Fault.MISSING_ARGUMENT,
        ErrorClass.HAS_EXCEPTION: Fault.EXCEPTION,
        ErrorClass.TYPE_ERROR: Fault.EXCEPTION,
        ErrorClass.OUTPUT_MISMATCH: Fault.WRONG_VALUE,
        ErrorClass.INPUT_MISMATCH: Fault.WRONG_VALUE,
        ErrorClass.MISMATCH: Fault.WRONG_VALUE,
        ErrorClass.KEY_ERROR: Fault.WRONG_VALUE,
        ErrorClass.CRASH: Fault.WRONG_TYPE,
        ErrorClass.WRONG_TYPE: Fault.WRONG_TYPE,
        ErrorClass.SEVERAL_CALLS: Fault.WRONG_COUNT,
        ErrorClass.UNSOLVED: Fault.WRONG_STATE,
        ErrorClass.TOO_MANY_STEPS: Fault.FORCE_QUIT,
        # Where these tools are due themselves, the case is out of the count.
        ErrorClass.NEEDS_MODEL: Fault.WRONG_FUNCTION,
        ErrorClass.NEEDS_NETWORK: Fault.WRONG_FUNCTION,
    }
)

# Faults that the paper has a class for; wrong values and counts are OTHER, as in the paper,
# which sorts only calls that fail before their outcome is compared.
PAPER_CLASSES: Mapping[Fault, PaperClass] = MappingProxyType(
    {
        Fault.NO_CALL: PaperClass.NO_API_CALL,
        Fault.EMPTY_TURN: PaperClass.NO_API_CALL,
        Fault.WRONG_FUNCTION: PaperClass.HALLUCINATION,
        Fault.UNEXPECTED_ARGUMENT: PaperClass.INVALID_PARAMETERS,
        Fault.WRONG_TYPE: PaperClass.INVALID_PARAMETERS,
        Fault.MALFORMED: PaperClass.FALSE_FORMAT,
        Fault.WRONG_FORMAT: PaperClass.FALSE_FORMAT,
        Fault.MISSING_ARGUMENT: PaperClass.MISSING_PARAMETERS,
        Fault.EXCEPTION: PaperClass.HAS_EXCEPTION,
    }
)


FAULT_CLASSES = FaultClasses(
    slug="api-bank",
    title="API-Bank paper (Li et al., EMNLP 2023)",
    classes=PAPER_CLASSES,
    other=PaperClass.OTHER,
)


def paper_class(fault: Fault) -> PaperClass:
    return PAPER_CLASSES.get(fault, PaperClass.OTHER)
