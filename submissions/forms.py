"""What a submitter fills in. Every wrong input gets one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

from evaluation.client.target import MAX_KEY
from evaluation.models import Benchmark, Category, Endpoint, Mode
from evaluation.models.endpoints import MAX_IN_FLIGHT, MAX_TIMEOUT
from submissions import checks
from submissions.card_form import ModelCardForm, text_field
from submissions.parameters import MAX_TEXT, read_parameters, write_parameters

ALL, SOME = "all", "some"
# Asked of the browser: no password manager and no history for a key that is not the reader's own
# password.
KEY_ATTRIBUTES = {"autocomplete": "off", "spellcheck": "false", "data-1p-ignore": "true"}
PLAIN = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class SubmissionForm(ModelCardForm):
    """A model, the endpoint that serves it, and what of a benchmark to run against it."""

    base_url = text_field(
        500,
        "Up to and including /v1. We add /chat/completions.",
        label="Base URL",
        missing="Give the address of the endpoint, such as https://api.example.org/v1.",
        widget=forms.URLInput(attrs={**PLAIN, "placeholder": "https://"}),
    )
    remote_model = text_field(
        200,
        "Exactly as the endpoint spells it.",
        label="Model name there",
        missing="Give the name by which the endpoint knows the model.",
        widget=forms.TextInput(attrs=PLAIN),
    )
    key = forms.CharField(
        required=False,
        strip=False,
        label="API key",
        max_length=MAX_KEY,
        help_text="Sealed, never shown again, and deleted when the run is published or 14 days "
        "after its end. Leave it empty if the endpoint asks for none.",
        widget=forms.PasswordInput(attrs=KEY_ATTRIBUTES),
        error_messages={"max_length": "This is too long to be a key. Copy the key alone."},
    )
    auth_header = text_field(
        60,
        "In Authorization the key follows “Bearer”; in any other, such as api-key, it is alone.",
        label="Header that carries the key",
        initial="Authorization",
        widget=forms.TextInput(attrs=PLAIN),
    )
    api_version = text_field(
        60,
        "Azure only: sent as ?api-version=.",
        label="API version",
        widget=forms.TextInput(attrs=PLAIN),
    )
    mode = forms.ChoiceField(
        choices=Mode.choices,
        initial=Mode.FC,
        widget=forms.RadioSelect,
        label="How functions are offered",
        error_messages={
            "required": "Choose how functions are offered.",
            "invalid_choice": "Choose FC or Prompt.",
        },
    )
    underscore = forms.BooleanField(
        required=False, initial=True, label="Send dots in function names as underscores"
    )
    parameters = forms.CharField(
        required=False,
        max_length=MAX_TEXT,
        label="Sampling and reasoning parameters",
        help_text="One name = value a line, or a JSON object. Empty: temperature 0.001 alone.",
        widget=forms.Textarea(
            attrs={**PLAIN, "rows": 4, "placeholder": "temperature = 0.2\ntop_p = 0.95"}
        ),
        error_messages={"max_length": "These parameters are too long. Keep only what is needed."},
    )
    reasoning_end = text_field(
        60,
        "Such as </think>. Text up to and including it is removed before decoding.",
        label="End of the reasoning text",
        widget=forms.TextInput(attrs=PLAIN),
    )
    in_flight = forms.IntegerField(
        initial=8,
        min_value=1,
        max_value=MAX_IN_FLIGHT,
        label="Requests in flight",
        help_text=f"1 to {MAX_IN_FLIGHT}. Most hosted endpoints do well with 8.",
    )
    timeout = forms.IntegerField(
        initial=120,
        min_value=1,
        max_value=MAX_TIMEOUT,
        label="Deadline, seconds a request",
        help_text=f"1 to {MAX_TIMEOUT}.",
    )
    price_in = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=12,
        decimal_places=6,
        label="Price, US$ per million tokens in",
        help_text="Optional. Without prices no cost is shown.",
    )
    price_out = forms.DecimalField(
        required=False, min_value=0, max_digits=12, decimal_places=6, label="…and out"
    )
    which = forms.ChoiceField(
        choices=[(ALL, "All"), (SOME, "Some")], initial=ALL, label="What to run", required=False
    )
    categories = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={
            "invalid_choice": "“%(value)s” is not a category that this board can run."
        },
    )

    def __init__(self, owner: User, benchmark: Benchmark, *args: Any, **options: Any) -> None:
        super().__init__(owner, *args, **options)
        self.benchmark = benchmark
        self.offered: Sequence[Category] = tuple(benchmark.categories.order_by("position", "pk"))
        choice = self.fields["categories"]
        assert isinstance(choice, forms.MultipleChoiceField)
        choice.choices = [(c.name, c.title) for c in self.offered if not c.unavailable]

    def as_if_sent(self) -> SubmissionForm:
        """The form as it would arrive if it were sent as it stands at first."""
        first = {
            name: self.get_initial_for_field(field, name) for name, field in self.fields.items()
        }
        sent = {name: value for name, value in first.items() if value is not None}
        return SubmissionForm(self.owner, self.benchmark, sent)

    def clean_base_url(self) -> str:
        return checks.endpoint_address(self.cleaned_data["base_url"])

    def clean_remote_model(self) -> str:
        name: str = self.cleaned_data["remote_model"]
        checks.target(model=name)
        return name

    def clean_auth_header(self) -> str:
        name: str = self.cleaned_data["auth_header"] or "Authorization"
        checks.target(auth_header=name)
        return name

    def clean_api_version(self) -> str:
        version: str = self.cleaned_data["api_version"]
        checks.target(api_version=version)
        return version

    def clean_parameters(self) -> dict[str, Any]:
        return checks.parameters(read_parameters(self.cleaned_data["parameters"]))

    def clean(self) -> None:
        super().clean()
        self._take_pasted_version()
        self._check_key()
        self._choose_categories()

    def _take_pasted_version(self) -> None:
        """An address pasted whole brings its API version with it."""
        if not self.cleaned_data.get("base_url") or self.cleaned_data.get("api_version"):
            return
        try:
            version = checks.pasted_version(self.data["base_url"])
            checks.target(api_version=version)
        except ValidationError as error:
            self.add_error("base_url", error)
        else:
            self.cleaned_data["api_version"] = version

    def _check_key(self) -> None:
        """What a key may be depends on the host: only listed ones may have short keys."""
        try:
            checks.key(self.cleaned_data.get("key", ""), self.cleaned_data.get("base_url") or "")
        except ValidationError as error:
            self.add_error("key", error)

    def _choose_categories(self) -> None:
        mode = self.cleaned_data.get("mode")
        if mode is None or "categories" in self.errors:
            return
        runnable = [c for c in self.offered if not c.unavailable and mode in c.modes]
        if self.cleaned_data.get("which") != SOME:
            chosen = [c for c in runnable if not c.is_extra]
        else:
            wanted = set(self.cleaned_data.get("categories", ()))
            chosen = [c for c in runnable if c.name in wanted]
            if missing := sorted(wanted - {c.name for c in chosen}):
                self.add_error(
                    "categories",
                    f"{', '.join(missing)} cannot be run in {Mode(mode).label} mode. "
                    "Leave it out, or change the mode.",
                )
                return
        if not chosen:
            self.add_error("categories", "Choose at least one category to run.")
        self.cleaned_data["chosen"] = chosen

    def endpoint(self) -> Endpoint:
        """The endpoint described, not yet saved, and without its key."""
        names = ("base_url", "remote_model", "auth_header", "api_version", "mode", "parameters")
        more = ("reasoning_end", "in_flight", "timeout", "price_in", "price_out")
        return Endpoint(
            card=self.model_card(),
            underscore=self.cleaned_data["mode"] == Mode.FC and self.cleaned_data["underscore"],
            **{name: self.cleaned_data[name] for name in names + more},
        )


def as_before(endpoint: Endpoint) -> dict[str, Any]:
    """Initial values that submit the same endpoint once more; its key has to be typed again."""
    names = ("base_url", "remote_model", "auth_header", "api_version", "mode", "underscore")
    more = ("reasoning_end", "in_flight", "timeout", "price_in", "price_out")
    initial = {name: getattr(endpoint, name) for name in names + more}
    return initial | {
        "card": endpoint.card_id,
        "parameters": write_parameters(endpoint.parameters),
    }
