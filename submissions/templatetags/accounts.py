"""How forms that a library brings are shown like our own."""

from __future__ import annotations

from unicodedata import category

from django import forms, template
from django.conf import settings

from evaluation.models import ModelCard
from submissions.identity import Submitter, submitter_of

register = template.Library()

LONGEST_NAME, LONGEST_QUOTE = 120, 1200  # characters, in mail
HIDING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # kinds of characters, by Unicode


@register.filter
def plain(form: forms.BaseForm) -> forms.BaseForm:
    """The form without placeholders, which repeat their labels and vanish when needed."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
    return form


@register.simple_tag
def submitter(card: ModelCard) -> Submitter | None:
    """Who submitted a model card; None where nobody here did."""
    return submitter_of(card)


@register.simple_tag
def mail_folder() -> str:
    """Where an installation on one machine keeps the mail it would send; "" where it sends."""
    in_files = settings.EMAIL_BACKEND.endswith("filebased.EmailBackend")
    return str(settings.EMAIL_FILE_PATH) if in_files else ""


@register.filter
def one_line(text: str) -> str:
    """A name that others chose, for plain text: one line, and nothing that hides."""
    return _plain(" ".join(str(text).split()))[:LONGEST_NAME]


@register.filter
def quoted(text: str) -> str:
    """Words that others wrote, set off line by line, so that nobody takes them for ours."""
    lines = str(text)[:LONGEST_QUOTE].splitlines()
    return "\n".join(f"> {_plain(line)}" for line in lines if line.strip())


def _plain(line: str) -> str:
    """Controls, and what turns or hides text, stand as a sign: mail shows what it is given."""
    return "".join("\ufffd" if category(letter) in HIDING else letter for letter in line)
