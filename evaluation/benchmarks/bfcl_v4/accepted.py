"""Accepted answers made ready for judging: one `Expected` for each call that is due.

A case is prepared once and judged often, so everything that depends only on the case is worked
out here: types, standardised texts, which parameters may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evaluation.benchmarks.bfcl_v4 import values
from evaluation.benchmarks.bfcl_v4.convert_java import converter_for as java_converter
from evaluation.benchmarks.bfcl_v4.convert_javascript import converter_for as javascript_converter
from evaluation.benchmarks.bfcl_v4.values import OMITTED, AcceptedDict, standard, standard_items
from evaluation.engine.types import JSON

Rule = Callable[[Any], str | None]
Convert = Callable[[str], Any]

# The type a value must have, exactly (a bool is no int), for each type word of the benchmark.
# "any" means a text: a quirk that nearly every answer with "any" agrees with.
_KINDS: dict[str, dict[str, type]] = {
    "python": {
        "string": str,
        "integer": int,
        "float": float,
        "boolean": bool,
        "array": list,
        "tuple": list,
        "dict": dict,
        "any": str,
    },
    "java": {
        "byte": int,
        "short": int,
        "integer": int,
        "float": float,
        "double": float,
        "long": int,
        "boolean": bool,
        "char": str,
        "Array": list,
        "ArrayList": list,
        "Set": set,
        "HashMap": dict,
        "Hashtable": dict,
        "Queue": list,
        "Stack": list,
        "String": str,
        "any": str,
    },
    "javascript": {
        "String": str,
        "integer": int,
        "float": float,
        "Bigint": int,
        "Boolean": bool,
        "dict": dict,
        "array": list,
        "any": str,
    },
}
_WITH_ELEMENTS = {
    "python": ("array", "tuple"),
    "java": ("Array", "ArrayList"),
    "javascript": ("array",),
}
_CONVERTERS = {"java": java_converter, "javascript": javascript_converter}


@dataclass(slots=True)
class Parameter:
    """What one argument may be.

    `kind` is the declared type, `answer_kind` that of the accepted values; where they differ,
    the accepted values name variables, and only equality counts. `element_kinds` lists, for each
    accepted list, the types its elements may have; None where any elements fit.
    """

    name: str
    word: str
    kind: type
    accepted: Sequence[JSON]
    answer_kind: type | None
    element_kinds: Sequence[frozenset[type]] | None
    of_kind: Rule
    of_answer_kind: Rule
    convert: Convert | None


@dataclass(slots=True)
class Expected:
    """One call that is due. `required` must be there, `obligatory` have no leave to be absent."""

    name: str
    required: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    obligatory: tuple[str, ...]


def expected_call(
    function: JSON, answer: Mapping[str, Sequence[JSON]], language: str, *, underscore: bool
) -> Expected:
    """Prepare one accepted call.

    Args:
        function: The description of the expected function.
        answer: For each parameter its acceptable values.
        language: "python", "java" or "javascript".
        underscore: Whether dots in the name were sent as underscores.
    """
    name = function["name"].replace(".", "_") if underscore else function["name"]
    properties = function["parameters"]["properties"]
    parameters = {
        key: _parameter(key, properties[key], accepted, language)
        for key, accepted in answer.items()
        if key in properties
    }
    obligatory = tuple(key for key, accepted in answer.items() if OMITTED not in accepted)
    return Expected(name, tuple(function["parameters"]["required"]), parameters, obligatory)


def _parameter(name: str, schema: JSON, accepted: Sequence[JSON], language: str) -> Parameter:
    word: str = schema["type"]
    kind = _KINDS[language][word]
    element_word = schema["items"]["type"] if word in _WITH_ELEMENTS[language] else None
    element = _KINDS[language][element_word] if element_word else None
    answer_kind = _answer_kind(accepted)
    equal: Rule = partial(values.other_fault, accepted=accepted)
    is_variable = answer_kind is not None and answer_kind is not kind
    make_converter = _CONVERTERS.get(language)
    return Parameter(
        name=name,
        word=word,
        kind=kind,
        accepted=accepted,
        answer_kind=answer_kind,
        element_kinds=_element_kinds(accepted, element) if element else None,
        of_kind=equal if is_variable else _rule(kind, element, accepted),
        of_answer_kind=equal,
        convert=make_converter(word, element_word) if make_converter else None,
    )


def _answer_kind(accepted: Sequence[JSON]) -> type | None:
    """The type of the first accepted value that is not the mark for "may be omitted"."""
    return next((type(value) for value in accepted if value != OMITTED), None)


def _element_kinds(accepted: Sequence[JSON], element: type) -> Sequence[frozenset[type]] | None:
    """Quirk: an accepted value that is no list, "may be omitted" included, lets all pass."""
    if any(type(value) is not list for value in accepted):
        return None
    return [frozenset({element, _answer_kind(value) or element}) for value in accepted]


def _rule(kind: type, element: type | None, accepted: Sequence[JSON]) -> Rule:
    if kind is dict:
        return partial(values.dict_fault, accepted=_dicts(accepted))
    if kind is list and element is dict:
        lists = [[_dict(item) for item in value] for value in accepted if _has_items(value)]
        return partial(values.dicts_fault, accepted=lists)
    if kind is str:
        texts = frozenset(standard(value) for value in accepted if type(value) is str)
        return partial(values.text_fault, accepted=texts)
    if kind is list:
        lists = [standard_items(value) for value in accepted if _has_items(value)]
        return partial(values.list_fault, accepted=lists)
    return partial(values.other_fault, accepted=accepted)


def _has_items(value: JSON) -> bool:
    """Quirk: the empty text counts as a list of nothing, so an empty list fits it."""
    return isinstance(value, list | str)


def _dicts(accepted: Sequence[JSON]) -> list[AcceptedDict]:
    return [found for found in map(_dict, accepted) if found is not None]


def _dict(accepted: JSON) -> AcceptedDict | None:
    """Quirk: simple_java_64 has a text where a list is due: it counts as its letters, and since
    the empty text is within every text, the key may be left out.
    """
    if not isinstance(accepted, dict):
        return None
    usable = {key: options for key, options in accepted.items() if _has_items(options)}
    return AcceptedDict(
        values={key: standard_items(options) for key, options in usable.items()},
        obligatory=tuple(key for key, options in usable.items() if OMITTED not in options),
    )
