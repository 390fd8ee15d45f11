"""What a tool is: declared parameters, an effect on a database, and a rule for a right call.

A call gives a *record* `{api_name, input, output, exception}`. A tool's `run` returns the output
or raises `ToolError`, whose text becomes the record's exception. A tool's `agrees` compares the
record of a model's call with the recorded one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from evaluation.engine.types import JSON

Record = dict[str, JSON]
Arguments = Mapping[str, JSON]

MOMENT = "%Y-%m-%d %H:%M:%S"
DAY = "%Y-%m-%d"


class ToolError(Exception):
    """The tool declines: its text is shown to the model."""


class ToolCrash(Exception):
    """The published tool or check breaks here; what follows depends on the profile."""


class MissingKey(Exception):
    """The published check looks up a key that the record lacks."""


@dataclass
class State:
    """The databases of one dialogue; tools change them in place."""

    databases: dict[str, JSON]
    records: Mapping[str, JSON] = field(default_factory=dict)  # answers recorded elsewhere
    reset_codes: dict[str, int] = field(default_factory=dict)  # password resets begun
    bank_accounts: list[str] = field(default_factory=lambda: ["test"])
    search: Callable[[str], JSON] | None = None  # the tool index, where there is one
    told: JSON = None  # a recorded output: what to answer where chance would decide

    def user_of(self, token: str) -> str:
        """The user whose token this is. Raises ToolError."""
        for name, account in self.databases["Account"].items():
            if account["token"] == token:
                return str(name)
        raise ToolError("The token is invalid.")


Run = Callable[[State, Arguments], JSON]
Agreement = Callable[[Record, Record], bool]


@dataclass(frozen=True)
class Tool:
    """One tool. `parameters` maps names to declared types, in order.

    `optional` parameters may be left out. `fills` says whether left-out ones still appear in the
    record's input, as null. `names_itself` is false for tools whose records carry no `api_name`.
    """

    name: str
    domain: str
    parameters: Mapping[str, str]
    run: Run
    agrees: Agreement
    optional: tuple[str, ...] = ()
    fills: bool = False
    names_itself: bool = True
    has_input: bool = True
    is_online: bool = False  # upstream asks a live service
    outputs: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(name for name in self.parameters if name not in self.optional)

    def missing(self, arguments: Arguments) -> tuple[str, ...]:
        return tuple(name for name in self.required if name not in arguments)

    def call(self, state: State, arguments: Arguments) -> Record:
        """Run and record. Raises ToolCrash; `arguments` are typed and complete."""
        record: Record = {"api_name": self.name} if self.names_itself else {}
        record |= {"input": self._recorded_input(arguments), "output": None, "exception": None}
        try:
            record["output"] = self.run(state, arguments)
        except (ToolError, ValueError) as trouble:
            record["exception"] = str(trouble)
        return record

    def _recorded_input(self, arguments: Arguments) -> JSON:
        if not self.has_input:
            return None
        shown = [name for name in self.parameters if self.fills or name in arguments]
        return {name: arguments.get(name) for name in shown}


def moment(text: str) -> str:
    """A date and time in the one accepted form. Raises ValueError."""
    datetime.strptime(text, MOMENT)
    return text


def tidy(text: str, form: str) -> str:
    """Trimmed, year padded to four digits, parsed and printed again. Raises ValueError."""
    parts = text.strip().split("-")
    if len(parts) == 3:
        parts[0] = parts[0].zfill(4)
    return datetime.strptime("-".join(parts), form).strftime(form)


def tidy_or_fault(text: str, form: str) -> JSON:
    """As `tidy`; what cannot be read equals nothing, not even itself."""
    try:
        return tidy(text, form)
    except ValueError:
        return object()


def share_words(one: str, other: str) -> bool:
    """More than half of all distinct words are common to both texts."""
    words, others = set(one.split(" ")), set(other.split(" "))
    return len(words & others) / len(words | others) > 0.5


def same(*fields: str) -> Agreement:
    """The named parts of both records are equal."""

    def agrees(mine: Record, gold: Record) -> bool:
        return all(mine.get(part) == gold.get(part) for part in fields)

    return agrees


same_all = same("input", "output", "exception")
same_named = same("api_name", "input", "output", "exception")
same_result = same("output", "exception")


def same_inputs(**forms: Callable[[JSON], JSON]) -> Agreement:
    """The result is equal, and each named input is after its form is applied."""

    def agrees(mine: Record, gold: Record) -> bool:
        pairs = [(look(mine, name), look(gold, name), form) for name, form in forms.items()]
        return same_result(mine, gold) and all(form(a) == form(b) for a, b, form in pairs)

    return agrees


def look(record: Record, name: str) -> JSON:
    """One input of a record. Raises MissingKey, as the published checks do."""
    given = record["input"]
    if name not in given:
        raise MissingKey(name)
    return given[name]


def stripped(value: JSON) -> JSON:
    return value if value is None else value.strip()


def folded(value: JSON) -> JSON:
    return value.strip().lower()


def capital(value: JSON) -> JSON:
    return value.upper().strip()


def as_is(value: JSON) -> JSON:
    return value


def as_day(value: JSON) -> JSON:
    return None if value is None else tidy_or_fault(value, DAY)


def as_moment(value: JSON) -> JSON:
    return tidy_or_fault(value, MOMENT)


STRING = "str"
TEXTS = "list(str)"


def texts(*names: str) -> dict[str, str]:
    """Parameters that are all texts."""
    return dict.fromkeys(names, STRING)
