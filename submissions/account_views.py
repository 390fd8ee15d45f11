"""One's own account: what there is, taking it along, and leaving."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from submissions import leaving, notices
from submissions import tokens as api_tokens
from submissions.accounts import throttled
from submissions.models import ApiToken
from submissions.views import UserRequest


@never_cache
@login_required
@require_safe
def overview(request: UserRequest) -> HttpResponse:
    """What belongs to the account, and where each thing is changed."""
    return render(request, "account/overview.html")


@never_cache
@login_required
@require_safe
def export(request: UserRequest) -> HttpResponse:
    """Everything kept about the reader, as one JSON file."""
    if refusal := throttled(request, "export"):
        return refusal
    response = JsonResponse(
        leaving.all_about(request.user),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
    )
    response["Content-Disposition"] = 'attachment; filename="callboard-account.json"'
    return response


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
def delete(request: UserRequest) -> HttpResponse:
    """Delete the reader's account; the page says beforehand what stays."""
    if request.method == "POST":
        if refusal := throttled(request, "delete"):
            return refusal
        try:
            leaving.delete_account(request.user)
        except leaving.StillNeeded as obstacle:
            messages.error(request, str(obstacle))
            return redirect("account-delete")
        logout(request)
        messages.success(request, "Your account is deleted. Thank you for having been here.")
        return redirect("home")
    return render(request, "account/delete.html")


class MailForm(forms.Form):
    """Mail about one's own safety (codes, changed passwords) cannot be switched off."""

    runs = forms.BooleanField(required=False, label="My runs have ended, or stand still")
    decisions = forms.BooleanField(
        required=False, label="A moderator asks me something, or has decided"
    )
    queue = forms.BooleanField(
        required=False, label="Something waits for a moderator, where I am one"
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def mail(request: UserRequest) -> HttpResponse:
    """Which mail the reader wants; all boxes empty is an answer too."""
    if request.method == "POST":
        form = MailForm(request.POST)
        form.full_clean()
        notices.choose(request.user, form.cleaned_data)
        messages.success(request, "Kept.")
        return redirect("account-mail")
    chosen = notices.chosen_by(request.user)
    form = MailForm(initial={name: getattr(chosen, name) for name in MailForm.base_fields})
    return render(request, "account/mail.html", {"form": form})


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        help_text="What it is for, such as “nightly evaluation”.",
        error_messages={"required": "Give it a name by which you will know it."},
    )
    scope = forms.ChoiceField(choices=ApiToken.Scope, label="What it may do")
    days = forms.TypedChoiceField(
        coerce=int,
        choices=[(days, f"{days} days") for days in api_tokens.LIVES],
        initial=90,
        label="How long it holds",
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)  # type: ignore[untyped-decorator]
def tokens(request: UserRequest) -> HttpResponse:
    """The reader's API tokens; a new one is shown in the answer to the form, and never again."""
    form = TokenForm(request.POST or None)
    new = ""
    if request.method == "POST":
        if refusal := throttled(request, "token"):
            return refusal
        if form.is_valid():
            new = _new_token(request, form)
    context = {"form": TokenForm() if new else form, "new": new}
    context["tokens"] = request.user.api_tokens.all()
    status = 422 if form.errors else 200
    return render(request, "account/tokens.html", context, status=status)


def _new_token(request: UserRequest, form: TokenForm) -> str:
    chosen = form.cleaned_data
    try:
        _, text = api_tokens.make(request.user, chosen["name"], chosen["scope"], chosen["days"])
    except api_tokens.TooMany as reason:
        form.add_error("name", str(reason))
        return ""
    return text


@never_cache
@login_required
@require_POST
def revoke(request: UserRequest, pk: int) -> HttpResponse:
    """End a token at once."""
    get_object_or_404(request.user.api_tokens, pk=pk).delete()
    messages.success(request, "Revoked: it opens nothing any more.")
    return redirect("account-tokens")
