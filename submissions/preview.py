"""What a half-filled form would do, in words: shown beside it while it is being filled in."""

from __future__ import annotations

import json
from dataclasses import dataclass

from evaluation.models import Mode
from submissions import checks
from submissions.forms import SOME, SubmissionForm

USUAL_TEMPERATURE = 0.001  # what every request carries unless the submitter sets another


@dataclass(frozen=True, slots=True)
class Preview:
    """Everything the panel beside the form says; texts are unescaped."""

    address: str
    address_error: str
    mode: str
    key_header: str
    sent: tuple[tuple[str, str], ...]
    reasoning_end: str
    questions: int
    categories: int
    offered: int
    left_out: tuple[tuple[str, str], ...]  # name of a category, why it is not run
    remarks: tuple[str, ...]


def preview(form: SubmissionForm) -> Preview:
    """Read a form that may be incomplete or wrong; nothing raises and nothing is stored."""
    form = form if form.is_bound else form.as_if_sent()
    form.is_valid()
    given = form.cleaned_data
    mode = given.get("mode") or Mode.FC
    chosen = given.get("chosen") or []
    address = given.get("base_url") or ""
    parameters = {"temperature": USUAL_TEMPERATURE} | (given.get("parameters") or {})
    typed = bool(form.data.get("base_url"))
    return Preview(
        address=checks.final_address(address, given.get("api_version") or "") if address else "",
        address_error=_first_error(form, "base_url") if typed else "",
        mode=_mode_in_words(form, mode),
        key_header=_key_in_words(given.get("auth_header") or "Authorization"),
        sent=tuple((name, json.dumps(value)[:200]) for name, value in parameters.items()),
        reasoning_end=given.get("reasoning_end") or "",
        questions=sum(category.n for category in chosen),
        categories=len(chosen),
        offered=sum(not category.is_extra for category in form.offered),
        left_out=_left_out(form, mode),
        remarks=_remarks(form, mode),
    )


def _first_error(form: SubmissionForm, field: str) -> str:
    errors = form.errors.get(field)
    return str(errors[0]) if errors else ""


def _mode_in_words(form: SubmissionForm, mode: str) -> str:
    if mode != Mode.FC:
        return "Prompt: functions as text in the prompt"
    if form.cleaned_data.get("underscore"):
        return "FC; dots in names sent as underscores, judged the same way"
    return "FC; dots in names sent as they are"


def _key_in_words(header: str) -> str:
    prefix = "Bearer " if header.lower() == "authorization" else ""
    return f"{header}: {prefix}•••• (if you give one)"


def _left_out(form: SubmissionForm, mode: str) -> tuple[tuple[str, str], ...]:
    reasons = []
    for category in form.offered:
        if category.is_extra:
            continue
        if category.unavailable:
            reasons.append((category.name, category.unavailable))
        elif mode not in category.modes:
            reasons.append((category.name, f"It cannot be asked in {Mode(mode).label} mode yet."))
    return tuple(reasons)


def _remarks(form: SubmissionForm, mode: str) -> tuple[str, ...]:
    remarks = [_first_error(form, "parameters"), _first_error(form, "categories")]
    if mode == Mode.FC and not form.cleaned_data.get("underscore"):
        remarks.append(
            "Many endpoints refuse function names with dots. Leave the underscore setting on "
            "unless you know that yours takes them."
        )
    if form.cleaned_data.get("which") == SOME:
        remarks.append("A run over some categories fills those columns; Overall needs them all.")
    return tuple(remark for remark in remarks if remark)
