"""What a submitter agrees to. A change of meaning gets a new version; submissions keep theirs."""

from __future__ import annotations

from django import forms

VERSION = "2026-11"
LICENCE = "CC BY 4.0"
LICENCE_URL = "https://creativecommons.org/licenses/by/4.0/"


def acceptance() -> forms.BooleanField:
    """The box to tick, in every form through which something gets in."""
    return forms.BooleanField(
        label=f"I accept the terms of submission: once published, replies are public under "
        f"{LICENCE}.",
        error_messages={
            "required": "Accept the terms of submission; without that nothing can be taken."
        },
    )
