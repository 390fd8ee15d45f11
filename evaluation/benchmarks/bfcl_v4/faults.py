"""Every official error type of the single-turn checks, and the kind of fault it stands for."""

from __future__ import annotations

from evaluation.engine.text import storable
from evaluation.engine.types import Fault, Judgement

DECODER_FAILED = "ast_decoder:decoder_failed"
WRONG_FORMAT = "ast_decoder:decoder_wrong_output_format"
SIMPLE_COUNT = "simple_function_checker:wrong_count"
MULTIPLE_COUNT = "multiple_function_checker:wrong_count"
PARALLEL_COUNT = "parallel_function_checker_no_order:wrong_count"
NO_MATCH = "parallel_function_checker_no_order:cannot_find_match"
WRONG_NAME = "simple_function_checker:wrong_func_name"
MISSING_REQUIRED = "simple_function_checker:missing_required"
MISSING_OPTIONAL = "simple_function_checker:missing_optional"
UNEXPECTED = "simple_function_checker:unexpected_param"
TYPE_SIMPLE = "type_error:simple"
TYPE_NESTED = "type_error:nested"
TYPE_JAVA = "type_error:java"
TYPE_JAVASCRIPT = "type_error:js"
VALUE_STRING = "value_error:string"
VALUE_LIST = "value_error:list/tuple"
VALUE_OTHER = "value_error:others"
DICT_KEY = "value_error:dict_key"
DICT_VALUE = "value_error:dict_value"
DICT_UNCLEAR = "dict_checker:unclear"
DICTS_COUNT = "value_error:list_dict_count"
DICTS_UNCLEAR = "list_dict_checker:unclear"
UNWANTED_CALL = "irrelevance_error:decoder_success"
NO_CALL = "relevance_error:decoder_failed"

_KINDS: dict[Fault, tuple[str, ...]] = {
    Fault.MALFORMED: (DECODER_FAILED,),
    Fault.WRONG_FORMAT: (WRONG_FORMAT,),
    Fault.WRONG_COUNT: (SIMPLE_COUNT, MULTIPLE_COUNT, PARALLEL_COUNT),
    Fault.NO_MATCH: (NO_MATCH,),
    Fault.WRONG_FUNCTION: (WRONG_NAME,),
    Fault.MISSING_ARGUMENT: (MISSING_REQUIRED, MISSING_OPTIONAL),
    Fault.UNEXPECTED_ARGUMENT: (UNEXPECTED,),
    Fault.WRONG_TYPE: (TYPE_SIMPLE, TYPE_NESTED, TYPE_JAVA, TYPE_JAVASCRIPT),
    Fault.WRONG_VALUE: (
        VALUE_STRING,
        VALUE_LIST,
        VALUE_OTHER,
        DICT_KEY,
        DICT_VALUE,
        DICT_UNCLEAR,
        DICTS_COUNT,
        DICTS_UNCLEAR,
    ),
    Fault.UNWANTED_CALL: (UNWANTED_CALL,),
    Fault.NO_CALL: (NO_CALL,),
}
FAULTS = {error: fault for fault, errors in _KINDS.items() for error in errors}


def wrong(error_type: str, message: str, where: str = "") -> Judgement:
    """A verdict of *wrong* with its official error type, its kind and a sentence."""
    return Judgement(False, error_type, FAULTS[error_type], storable(where), storable(message))
