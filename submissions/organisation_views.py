"""Pages of organisations: founding one, its members, invitations."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.mail import send_mail
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from submissions import organisations
from submissions.accounts import throttled
from submissions.models import Membership, Organisation, Role
from submissions.views import UserRequest

UNPROCESSABLE = 422


class FoundingForm(forms.Form):
    name = forms.CharField(max_length=120, error_messages={"required": "Give it a name."})
    domain = forms.CharField(
        max_length=200,
        required=False,
        label="Mail domain",
        help_text="Such as example.org. If your account has a verified address there, the "
        "organisation is confirmed, and model cards say so.",
    )

    def clean_name(self) -> str:
        return _one_line(self.cleaned_data["name"])

    def clean_domain(self) -> str:
        return _domain(self.cleaned_data["domain"])


class DomainForm(forms.Form):
    domain = forms.CharField(max_length=200, required=False, label="Mail domain")

    def clean_domain(self) -> str:
        return _domain(self.cleaned_data["domain"])


class InvitationForm(forms.Form):
    email = forms.EmailField(
        label="E-mail address", error_messages={"required": "Say whom to invite."}
    )
    role = forms.ChoiceField(choices=Role.choices, initial=Role.SUBMITTER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(choices=[*Role.choices, ("remove", "Remove")])


def _one_line(text: str) -> str:
    """A name as it can stand in a mail's subject, which must not go on in a second line."""
    return " ".join(text.split())


def _domain(text: str) -> str:
    try:
        return organisations.checked_domain(text)
    except organisations.NotPossible as reason:
        raise forms.ValidationError(str(reason)) from reason


def _membership(request: UserRequest, slug: str, *, owner: bool = False) -> Membership:
    """The reader's own place in it; nobody else learns that it exists."""
    own = Membership.objects.filter(user=request.user, organisation__slug=slug)
    if owner:
        own = own.filter(role=Role.OWNER)
    return get_object_or_404(own.select_related("organisation"))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def listed(request: UserRequest) -> HttpResponse:
    """The reader's organisations, and a form to found one."""
    form = FoundingForm(request.POST or None)
    if request.method == "POST":
        if refusal := throttled(request, "organisation"):
            return refusal
        if form.is_valid() and (made := _found(request, form)):
            return redirect("organisation", made.slug)
    own = Membership.objects.filter(user=request.user).select_related("organisation")
    context = {"form": form, "memberships": own.order_by("organisation__name", "pk")}
    status = UNPROCESSABLE if form.errors else 200
    return render(request, "submissions/organisations.html", context, status=status)


def _found(request: UserRequest, form: FoundingForm) -> Organisation | None:
    try:
        return organisations.found(
            form.cleaned_data["name"], form.cleaned_data["domain"], by=request.user
        )
    except organisations.NotPossible as reason:
        form.add_error("name", str(reason))
        return None


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def organisation(request: UserRequest, slug: str) -> HttpResponse:
    """Its members; for owners also roles, invitations and its domain."""
    own = _membership(request, slug, owner=request.method == "POST")
    form = InvitationForm(request.POST or None)
    if request.method == "POST":
        if refusal := throttled(request, "organisation"):
            return refusal
        if form.is_valid() and _invite(request, own.organisation, form):
            return redirect("organisation", slug)
    return _page(request, own, form)


def _page(request: UserRequest, own: Membership, form: InvitationForm) -> HttpResponse:
    of = own.organisation
    context: dict[str, Any] = {
        "organisation": of,
        "own": own,
        "is_owner": own.role == Role.OWNER,
        "members": of.memberships.select_related("user").order_by("user__username"),
        "invitations": of.invitations.order_by("email") if own.role == Role.OWNER else (),
        "roles": [*Role.choices, ("remove", "Remove")],
        "form": form,
        "domain_form": DomainForm(initial={"domain": of.domain}),
    }
    status = UNPROCESSABLE if form.errors else 200
    return render(request, "submissions/organisation.html", context, status=status)


def _invite(request: UserRequest, of: Organisation, form: InvitationForm) -> bool:
    email, role = form.cleaned_data["email"], form.cleaned_data["role"]
    try:
        secret = organisations.invite(of, email, role, by=request.user)
    except organisations.NotPossible as reason:
        form.add_error("email", str(reason))
        return False
    link = request.build_absolute_uri(reverse("invitation", args=[secret]))
    context = {"organisation": of, "role": Role(role).label, "by": request.user, "link": link}
    text = render_to_string("submissions/mail/invitation.txt", context)
    subject = _one_line(f"[Callboard] An invitation to {of.name}")[:150]
    send_mail(subject, text, None, [email])
    messages.success(request, f"An invitation is on its way to {email}. It holds for a week.")
    return True


@never_cache
@login_required
@require_POST
def member(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Change a member's role, or end the membership; everybody may end their own."""
    form = RoleForm(request.POST)
    own = _membership(request, slug)
    one = get_object_or_404(own.organisation.memberships.select_related("user"), pk=pk)
    role = form.cleaned_data["role"] if form.is_valid() else ""
    leaves = role == "remove" and one.pk == own.pk
    if not role or not (own.role == Role.OWNER or leaves):
        raise Http404
    if refusal := throttled(request, "organisation"):
        return refusal
    try:
        if role == "remove":
            organisations.remove(own.organisation, one.user)
        else:
            organisations.set_role(own.organisation, one.user, role)
    except organisations.NotPossible as reason:
        messages.error(request, str(reason))
    return redirect("organisations") if leaves else redirect("organisation", slug)


@never_cache
@login_required
@require_POST
def domain(request: UserRequest, slug: str) -> HttpResponse:
    """Set the domain that an owner's mail address may confirm; asked again, look again."""
    own = _membership(request, slug, owner=True)
    if refusal := throttled(request, "organisation"):
        return refusal
    form = DomainForm(request.POST)
    if form.is_valid():
        organisations.change_domain(own.organisation, form.cleaned_data["domain"])
    for error in form.errors.get("domain", []):
        messages.error(request, str(error))
    return redirect("organisation", slug)


@never_cache
@login_required
@require_POST
def withdraw(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Take an invitation back: its link ends."""
    own = _membership(request, slug, owner=True)
    get_object_or_404(own.organisation.invitations, pk=pk).delete()
    return redirect("organisation", slug)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def invitation(request: UserRequest, secret: str) -> HttpResponse:
    """What is offered, and a button to take it up. Whoever reads that mail may do so."""
    offer = organisations.invitation(secret)
    if offer is None:
        raise Http404("This invitation has been used, was withdrawn or is too old.")
    if request.method == "POST":
        if refusal := throttled(request, "organisation"):
            return refusal
        organisations.accept(offer, request.user)
        messages.success(request, f"You are a member of {offer.organisation} now.")
        return redirect("organisation", offer.organisation.slug)
    return render(request, "submissions/invitation.html", {"offer": offer})
