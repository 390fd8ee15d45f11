"""The samples of a run: which of its verdicts a reader asks for. Nonsense never raises."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict

from evaluation.engine.types import Fault
from evaluation.models import Category, Run, Scoring, Verdict

FAULTS = {  # every fault in words; an unknown one is shown as it is stored
    Fault.MALFORMED: "Malformed call",
    Fault.WRONG_FORMAT: "Not a list of calls",
    Fault.NO_CALL: "No call",
    Fault.UNWANTED_CALL: "Unwanted call",
    Fault.WRONG_COUNT: "Wrong number of calls",
    Fault.WRONG_FUNCTION: "Wrong function",
    Fault.MISSING_ARGUMENT: "Missing argument",
    Fault.UNEXPECTED_ARGUMENT: "Unexpected argument",
    Fault.WRONG_TYPE: "Wrong type",
    Fault.WRONG_VALUE: "Wrong value",
    Fault.NO_MATCH: "A call without its partner",
    Fault.WRONG_STATE: "Wrong state afterwards",
    Fault.WRONG_RESPONSE: "A tool’s reply that never came",
    Fault.EXCEPTION: "Refused by the tool",
    Fault.EMPTY_TURN: "Nothing done in a turn",
    Fault.FORCE_QUIT: "Too many steps",
    Fault.NO_ANSWER: "No final answer",
    Fault.WRONG_ANSWER: "Wrong final answer",
    Fault.REFUSED: "Refused by a content filter",
    Fault.CONTEXT_OVERFLOW: "Did not fit the context",
    Fault.TRUNCATED: "Cut off at a token limit",
}


def fault_in_words(fault: str) -> str:
    return FAULTS[Fault(fault)] if fault in FAULTS else fault.replace("_", " ").capitalize()


class SamplesForm(forms.Form):
    """The filter above a run's samples, kept in the address; what is not understood is ignored."""

    q = forms.CharField(required=False, max_length=200)
    category = forms.CharField(required=False, max_length=60)
    outcome = forms.ChoiceField(required=False, choices=Verdict.Outcome.choices)
    fault = forms.ChoiceField(required=False, choices=list(FAULTS.items()))

    def __init__(self, data: QueryDict, categories: list[Category]) -> None:
        super().__init__(data)
        self.categories = categories
        self.is_valid()

    @property
    def outcomes(self) -> list[str]:
        return list(Verdict.Outcome.values)

    @property
    def chosen(self) -> dict[str, str]:
        """What is filtered by, without what is left open."""
        known = {category.name for category in self.categories}
        chosen = {name: value for name, value in self.cleaned_data.items() if value}
        if chosen.get("category") not in known:
            chosen.pop("category", None)
        return chosen

    def narrow(self, run: Run, scoring: Scoring | None = None) -> QuerySet[Verdict]:
        """The run's verdicts that pass the filter, in dataset order; of its current scoring."""
        chosen = self.chosen
        current = Q(scoring__run=run, scoring__is_current=True)
        verdicts = Verdict.objects.filter(Q(scoring=scoring) if scoring else current)
        exact: dict[str, Any] = {
            column: chosen[name]
            for name, column in (
                ("category", "case__category__name"),
                ("outcome", "outcome"),
                ("fault", "fault"),
            )
            if name in chosen
        }
        verdicts = verdicts.filter(**exact)
        if text := chosen.get("q"):
            verdicts = verdicts.filter(
                Q(case__name__icontains=text)
                | Q(case__question__icontains=text)
                | Q(message__icontains=text)
            )
        return (
            verdicts.select_related("case__category")
            .defer("case__question", "case__answer")
            .order_by("case__category__position", "case__category", "case__position", "pk")
        )
