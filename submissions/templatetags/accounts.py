"""How forms that a library brings are shown like our own."""

from __future__ import annotations

from django import forms, template
from django.conf import settings

from evaluation.models import ModelCard
from submissions.identity import Submitter, submitter_of

register = template.Library()


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
