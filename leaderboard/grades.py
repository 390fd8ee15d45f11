"""A model's calls beside the accepted ones, with what differs marked. Pure.

The verdict is the suite's; this only finds the places a reader should look at. A value that the
suite reads as the same (other case, other punctuation, 1 for 1.0) is therefore not marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluation.engine.types import JSON
from leaderboard.values import LONGEST, as_text, hint, listed, plainly

MOST_CALLS = 50
LEFT_OUT = ""  # among the accepted values: the argument may be left out


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as text; `marked` where it differs, `texts` has one item a value."""

    name: str
    texts: tuple[str, ...]
    marked: bool = False
    may_be_left_out: bool = False
    hint: str = ""  # how it differs, where that is easily overlooked


@dataclass(frozen=True, slots=True)
class ShownCall:
    name: str
    arguments: tuple[Argument, ...] = ()
    marked: bool = False  # the function itself differs


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of a grade. None: not a list of calls, to be shown as it is."""

    made: tuple[ShownCall, ...] | None
    accepted: tuple[ShownCall, ...] | None


@dataclass(frozen=True, slots=True)
class InSource:
    """An accepted value that a model writes as source text; many texts may mean a list."""

    value: JSON


def sides(
    decoded: JSON,
    accepted: JSON,
    *,
    is_wrong: bool,
    underscore: bool = False,
    in_source: bool = False,
) -> Sides:
    """Pair calls by name, then by likeness, and mark the differences of a wrong answer.

    With `underscore`, function names are written as they travelled: dots as underscores.
    With `in_source`, arguments are texts of source code that mean an accepted value.
    """
    made, wanted = _calls(decoded), _calls(accepted)
    if in_source and wanted is not None:
        wanted = [(name, _written_in_source(arguments)) for name, arguments in wanted]
    if underscore:
        made, wanted = _as_travelled(made), _as_travelled(wanted)
    if made is None or wanted is None:
        return Sides(
            _unmarked(made, as_accepted=False) if made is not None else None,
            _unmarked(wanted, as_accepted=True) if wanted is not None else None,
        )
    partners = _pair(made, wanted)
    return Sides(
        tuple(_made(call, _at(wanted, partners[i]), is_wrong) for i, call in enumerate(made)),
        tuple(
            _wanted(call, _at(made, _partner_of(j, partners)), is_wrong)
            for j, call in enumerate(wanted)
        ),
    )


Call = tuple[str, Mapping[str, JSON]]


def _calls(value: JSON) -> list[Call] | None:
    """`[{name: {parameter: value}}, …]` as pairs; None for any other shape."""
    if not isinstance(value, list):
        return None
    calls: list[Call] = []
    for item in value[:MOST_CALLS]:
        if not (isinstance(item, dict) and len(item) == 1):
            return None
        [(name, arguments)] = item.items()
        if not isinstance(arguments, dict):
            return None
        calls.append((str(name), arguments))
    return calls


def _as_travelled(calls: list[Call] | None) -> list[Call] | None:
    if calls is None:
        return None
    return [(name.replace(".", "_"), arguments) for name, arguments in calls]


def _written_in_source(arguments: Mapping[str, JSON]) -> dict[str, JSON]:
    return {
        name: [value if isinstance(value, str) else InSource(value) for value in listed(values)]
        for name, values in arguments.items()
    }


def _pair(made: list[Call], wanted: list[Call]) -> list[int | None]:
    """For each call made, the place of its accepted partner: the most alike first."""
    free = set(range(len(wanted)))
    partners: list[int | None] = [None] * len(made)
    ranked = sorted(
        ((-_likeness(call, wanted[j]), i, j) for i, call in enumerate(made) for j in free),
    )
    for _, i, j in ranked:
        if partners[i] is None and j in free:
            partners[i] = j
            free.discard(j)
    return partners


def _likeness(made: Call, wanted: Call) -> float:
    same_name = made[0] == wanted[0]
    agreeing = sum(
        name in wanted[1] and agrees(value, wanted[1][name]) for name, value in made[1].items()
    )
    return 1000.0 * same_name + agreeing


def _partner_of(place: int, partners: list[int | None]) -> int | None:
    return partners.index(place) if place in partners else None


def _at(calls: list[Call], place: int | None) -> Call | None:
    return None if place is None else calls[place]


def _made(call: Call, partner: Call | None, is_wrong: bool) -> ShownCall:
    name, arguments = call
    if partner is None or partner[0] != name:
        return ShownCall(name, tuple(_plain(*pair) for pair in arguments.items()), is_wrong)
    wanted = partner[1]
    shown = tuple(
        _judged(parameter, value, wanted.get(parameter, []), is_wrong)
        for parameter, value in arguments.items()
    )
    return ShownCall(name, shown)


def _judged(name: str, value: JSON, alternatives: JSON, is_wrong: bool) -> Argument:
    differs = is_wrong and not agrees(value, alternatives)
    overlooked = hint(value, alternatives) if differs else ""
    return Argument(name, (as_text(value),), differs, hint=overlooked)


def _wanted(call: Call, partner: Call | None, is_wrong: bool) -> ShownCall:
    name, arguments = call
    if partner is None or partner[0] != name:
        shown = tuple(_alternatives(*pair) for pair in arguments.items())
        return ShownCall(name, shown, is_wrong)
    shown = tuple(
        _alternatives(parameter, values, is_wrong and _is_missed(parameter, values, partner[1]))
        for parameter, values in arguments.items()
    )
    return ShownCall(name, shown)


def _is_missed(parameter: str, values: JSON, made: Mapping[str, JSON]) -> bool:
    if parameter in made:
        return not agrees(made[parameter], values)
    return LEFT_OUT not in listed(values)


def _unmarked(calls: list[Call], *, as_accepted: bool) -> tuple[ShownCall, ...]:
    write = _alternatives if as_accepted else _plain
    return tuple(
        ShownCall(name, tuple(write(*pair) for pair in arguments.items()))
        for name, arguments in calls
    )


def _plain(name: str, value: JSON) -> Argument:
    return Argument(name, (as_text(value),))


def _alternatives(name: str, values: JSON, marked: bool = False) -> Argument:
    known = listed(values)
    texts = tuple(_accepted_text(value) for value in known if value != LEFT_OUT)
    only_empty = not texts and LEFT_OUT in known
    return Argument(
        name,
        texts or ('""',),
        marked,
        may_be_left_out=LEFT_OUT in known and not only_empty,
    )


def _accepted_text(value: JSON) -> str:
    """An accepted value as text; each field of an object has alternatives of its own."""
    if isinstance(value, InSource):
        return _accepted_text(value.value)
    if isinstance(value, list) and value and all(_has_alternatives(item) for item in value):
        text = f"[{', '.join(_accepted_text(item) for item in value)}]"
    elif _has_alternatives(value):
        fields = (f"{as_text(name)}: {_either(values)}" for name, values in value.items())
        text = f"{{{', '.join(fields)}}}"
    else:
        return as_text(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _has_alternatives(value: JSON) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(values, list) and values for values in value.values())
    )


def _either(values: list[JSON]) -> str:
    texts = " or ".join(as_text(value) for value in values if value != LEFT_OUT)
    if LEFT_OUT not in values:
        return texts
    return f"{texts} (may be left out)" if texts else '""'


def agrees(value: JSON, alternatives: JSON) -> bool:
    """Whether a value is one of the accepted ones, read as generously as a suite might."""
    return any(_same(value, wanted) for wanted in listed(alternatives))


def _same(value: JSON, wanted: JSON) -> bool:
    if isinstance(wanted, InSource):
        return isinstance(value, str) and _may_mean(value, wanted.value)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return plainly(value) == plainly(wanted)
    if isinstance(value, list) and isinstance(wanted, list):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        return _same_object(value, wanted)
    return bool(value == wanted)


def _may_mean(text: str, wanted: JSON) -> bool:
    """Whether source text holds a value, or a list's items in order; objects are not read."""
    if not isinstance(wanted, (list, dict)):
        return plainly(text) == plainly(as_text(wanted))
    rest, items = plainly(text), wanted if isinstance(wanted, list) else []
    for item in items:
        _, found, rest = rest.partition(plainly(as_text(item)))
        if not found:
            return False
    return True


def _same_object(value: Mapping[str, JSON], wanted: Mapping[str, JSON]) -> bool:
    """An accepted object lists accepted values for each of its keys."""
    present = all(name in wanted and agrees(one, wanted[name]) for name, one in value.items())
    missing: Iterable[str] = wanted.keys() - value.keys()
    return present and all(LEFT_OUT in listed(wanted[name]) for name in missing)
