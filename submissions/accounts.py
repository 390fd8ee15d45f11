"""Accounts: a name and a password, nothing else for now."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User


class SignUpForm(UserCreationForm):  # type: ignore[type-arg]  # no generic when it runs
    """Django's own form; the help texts are shortened to what a person needs."""

    class Meta:
        model = User
        fields = ("username",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["username"].help_text = "Letters, digits and @ . + - _ only."
        self.fields["password1"].help_text = "At least 8 characters, not a common word or number."
        self.fields["password2"].help_text = ""
        self.fields["password2"].label = "Password, once more"
