"""Bodies of the API, read strictly, and turned into what the forms of the pages take.

There is one validation, the forms'. Here it is only seen to that a body is JSON of modest size
and that every field has a kind of value that a form can hold.
"""

from __future__ import annotations

import json
from typing import IO, Any, NoReturn

from django.contrib.auth.models import User
from django.http import QueryDict
from rest_framework import exceptions
from rest_framework.parsers import BaseParser

from evaluation import policy
from submissions.forms import ALL, SOME, SubmissionForm
from submissions.organisations import submits_for

MAX_BODY = 256 * 1024  # bytes; the largest field, parameters, has a few thousand
MARKS = ("underscore", "terms")  # a form has these by their presence
CHOSEN_BY_SLUG = ("card", "behalf")  # forms know these by number
APART = frozenset({"benchmark", "which"})  # not the form's, or set here
PRINTED = 60  # characters of a name that are repeated in an error


class TooLarge(exceptions.APIException):
    status_code = 413
    default_detail = f"A JSON body has at most {MAX_BODY // 1024} kB."


class StrictJson(BaseParser):
    """A JSON object. NaN and Infinity, which JSON does not know, are refused."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, context: Any = None
    ) -> dict[str, Any]:
        body = stream.read(MAX_BODY + 1)
        if len(body) > MAX_BODY:
            raise TooLarge
        try:
            value = json.loads(body, parse_constant=_refuse, object_pairs_hook=_once)
            json.dumps(value, ensure_ascii=False).encode()
        except RecursionError:
            raise _wrong("It is nested too deeply.") from None
        except UnicodeError:
            raise _wrong("It is not UTF-8, or holds half of a character.") from None
        except ValueError as error:
            raise _wrong(f"It is not JSON: {error}.") from None
        if not isinstance(value, dict):
            raise _wrong("Send a JSON object.")
        return value


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number there")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands in it twice")
    return found


def _wrong(sentence: str) -> exceptions.ValidationError:
    return exceptions.ValidationError({"body": [sentence]})


def as_form(values: dict[str, Any], form: SubmissionForm, user: User) -> QueryDict:
    """The body as the browser would have sent it; what is left out is as in the empty form.

    Raises:
        ValidationError: A field is unknown, or its value is of a kind that it cannot have.
    """
    known = set(form.fields) - APART | {"benchmark"}
    if unknown := sorted(set(values) - known):
        listed = ", ".join(sorted(known))
        raise exceptions.ValidationError(
            {name[:PRINTED]: [f"There is no such field. Known: {listed}."] for name in unknown}
        )
    sent = QueryDict(mutable=True)
    for name, value in _initial(form).items():
        sent[name] = value
    sent["which"] = SOME if values.get("categories") is not None else ALL
    problems: dict[str, list[str]] = {}
    for name, value in values.items():
        try:
            _put(sent, name, value, user)
        except ValueError as reason:
            problems[name] = [str(reason)]
    if problems:
        raise exceptions.ValidationError(problems)
    return sent


def _initial(form: SubmissionForm) -> dict[str, str]:
    first = {
        name: form.get_initial_for_field(field, name)
        for name, field in form.fields.items()
        if name not in APART
    }
    return {
        name: "on" if value is True else str(value)
        for name, value in first.items()
        if value not in (None, False)
    }


def _put(sent: QueryDict, name: str, value: Any, user: User) -> None:
    if value is None or name == "benchmark":
        return
    if name in MARKS:
        _mark(sent, name, value)
    elif name == "open_weights":
        sent[name] = {True: "true", False: "false"}[_expect(value, bool, "true, false or null")]
    elif name == "parameters":
        sent[name] = json.dumps(_expect(value, dict, "an object"))
    elif name == "categories":
        names = _expect(value, list, "a list of names")
        sent.setlist(name, [_expect(one, str, "a list of names") for one in names])
    elif name in CHOSEN_BY_SLUG:
        sent[name] = _number_of(name, _expect(value, str, "its name in addresses"), user)
    elif isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("Write text or a number.")
    else:
        sent[name] = str(value)


def _mark(sent: QueryDict, name: str, value: Any) -> None:
    sent.pop(name, None)
    if _expect(value, bool, "true or false"):
        sent[name] = "on"


def _expect(value: Any, kind: type, words: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"Write {words}.")
    return value


def with_numbers(sent: QueryDict, user: User) -> QueryDict:
    """Fields of an upload, with what is chosen by its name in addresses put as forms know it."""
    sent = sent.copy()
    for name in sent.keys() & {*CHOSEN_BY_SLUG}:
        if text := sent[name]:
            sent[name] = _number_of(name, str(text), user)
    return sent


def _number_of(name: str, slug: str, user: User) -> str:
    """What is not among one's own gets the form's own error: 0 is nobody's number."""
    if "\x00" in slug:
        return "0"
    rows: Any = policy.own_cards(user) if name == "card" else submits_for(user)
    return str(rows.filter(slug=slug).values_list("pk", flat=True).first() or 0)
