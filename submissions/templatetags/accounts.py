"""How forms that a library brings are shown like our own."""

from __future__ import annotations

from django import forms, template

register = template.Library()


@register.filter
def plain(form: forms.BaseForm) -> forms.BaseForm:
    """The form without placeholders, which repeat their labels and vanish when needed."""
    for field in form.fields.values():
        field.widget.attrs.pop("placeholder", None)
    return form
