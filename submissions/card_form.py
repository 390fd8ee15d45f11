"""The part of a submission that all ways in share: the model, whose it is, and the terms."""

from __future__ import annotations

from itertools import chain, count
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.text import slugify

from evaluation import policy
from evaluation.models import ModelCard
from submissions import checks, terms
from submissions.models import Organisation
from submissions.organisations import submits_for


def text_field(limit: int, help_text: str = "", **options: Any) -> forms.CharField:
    """A line of text that says in a sentence when it is missing or too long."""
    what = options.pop("missing", "")
    return forms.CharField(
        max_length=limit,
        help_text=help_text,
        required=bool(what),
        error_messages={
            "required": what,
            "max_length": f"This is too long: at most {limit} characters are kept.",
        },
        **options,
    )


def _free_slug(name: str) -> str:
    """The name in addresses. A namesake gets a number; a moderator decides what may be public."""
    slug = slugify(name)[:110]
    taken = set(ModelCard.objects.filter(slug__startswith=slug).values_list("slug", flat=True))
    candidates = chain([slug], (f"{slug}-{number}" for number in count(2)))
    return next(one for one in candidates if one not in taken)


class ModelCardForm(forms.Form):
    """The model: a card under which the sender may submit, or a new one; and the terms."""

    card = forms.ModelChoiceField(
        ModelCard.objects.none(),
        required=False,
        label="Model card",
        empty_label="A new model",
        error_messages={"invalid_choice": "That is not one of your model cards. Choose another."},
    )
    behalf = forms.ModelChoiceField(
        Organisation.objects.none(),
        required=False,
        label="Submit as",
        empty_label="Myself",
        help_text="Its members see the run, its submitters and owners steer it.",
        error_messages={"invalid_choice": "You cannot submit for that organisation."},
    )
    terms = terms.acceptance()
    name = text_field(120, "As it should read on the board.")
    organisation = text_field(120, "Who made the model.")
    licence = text_field(120, "Such as Apache 2.0, or “proprietary”.")
    link = text_field(500, "A page about the model. Optional.", label="Link")
    open_weights = forms.NullBooleanField(
        required=False,
        label="Weights",
        widget=forms.Select(
            choices=[("unknown", "Not stated"), ("true", "Open weights"), ("false", "Closed")]
        ),
    )

    def __init__(self, owner: User, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.owner = owner
        self.own_cards = policy.own_cards(owner).order_by("name", "pk")
        self._offer("card", self.own_cards)
        self._offer("behalf", submits_for(owner).order_by("name", "pk"))

    def _offer(self, name: str, rows: QuerySet[Any]) -> None:
        choice = self.fields[name]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = rows

    def clean_link(self) -> str:
        link: str = self.cleaned_data["link"]
        return checks.public_link(link) if link else ""

    def clean(self) -> None:
        super().clean()
        if self.cleaned_data.get("card") or "card" in self.errors:
            return
        for name, sentence in (
            ("name", "Give the model a name, or choose one of your model cards."),
            ("organisation", "Say who made the model."),
        ):
            if not self.cleaned_data.get(name) and name not in self.errors:
                self.add_error(name, sentence)
        if self.cleaned_data.get("name"):
            self._check_name(self.cleaned_data["name"])

    def _check_name(self, name: str) -> None:
        if not slugify(name):
            self.add_error("name", "A name needs at least one Latin letter or digit.")
            return
        namesake = ModelCard.objects.filter(slug=slugify(name)[:110]).first()
        if namesake is None:
            return
        if self.own_cards.filter(pk=namesake.pk).exists():
            self.add_error("name", "You already have a model card of that name: choose it above.")

    def organisation_chosen(self) -> Organisation | None:
        """Whose the submission is: of a card that exists, whose that is; None: the sender's."""
        card: ModelCard | None = self.cleaned_data.get("card")
        if card:
            return Organisation.objects.filter(stewards=card.stewards_id).first()
        chosen: Organisation | None = self.cleaned_data.get("behalf")
        return chosen

    def model_card(self) -> ModelCard:
        """The chosen card, or a new one that is not yet saved."""
        chosen: ModelCard | None = self.cleaned_data.get("card")
        if chosen:
            return chosen
        return ModelCard(
            slug=_free_slug(self.cleaned_data["name"]),
            owner=self.owner,
            **{
                name: self.cleaned_data[name]
                for name in ("name", "organisation", "licence", "link", "open_weights")
            },
        )
