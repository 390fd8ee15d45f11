"""Who brought what in; staff look, the form and the services write."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from allauth.account.decorators import secure_admin_login
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from evaluation.admin import ReadOnlyAdmin, RunAdmin
from evaluation.models import Run
from evaluation.services import publishing
from submissions import bans, leaving, moderation, organisations
from submissions.models import Ban, HandledEvent, Organisation, Submission

# The one way in, with its limits and second factors, for the admin as well.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
admin.site.unregister([Run, User])

HIDDEN = "Hidden by the operators of this site."
Page = Callable[..., HttpResponse]


@admin.register(Run)
class ModeratedRunAdmin(RunAdmin):
    """What staff publish and hide here is decided as on the moderators' page, and noted there."""

    @admin.action(permissions=["operate"], description="Publish (runs with results)")
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        done = [run for run in runs if self._is_done(request, run, moderation.publish_as_staff)]
        self._report(request, runs, done, "published")

    @admin.action(permissions=["operate"], description="Hide from the board and from readers")
    def hide(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        shown = runs.filter(published_at__isnull=False, hidden_at=None)
        hide = partial(moderation.hide, reason=HIDDEN)
        done = [run for run in shown if self._is_done(request, run, hide)]
        self._report(request, runs, done, "hidden")

    def _is_done(self, request: HttpRequest, run: Run, carry_out: Callable[..., object]) -> bool:
        try:
            carry_out(run, by=request.user)
        except (moderation.NotPossible, publishing.CannotPublish) as reason:
            self.message_user(request, f"Run {run.pk}: {reason}", messages.WARNING)
            return False
        return True


@admin.register(User)
class PeopleAdmin(UserAdmin):  # type: ignore[type-arg]  # no generic when it runs
    """Accounts. One that is deleted here leaves as if its owner had left."""

    actions = ("lift_ban",)

    @admin.action(
        permissions=["change"], description="Lift the ban, also one of an earlier account"
    )
    def lift_ban(self, request: HttpRequest, people: QuerySet[User]) -> None:
        for person in people:
            bans.lift(person)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        leaving.delete_account(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for person in queryset:
            leaving.delete_account(person)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._unless_needed(request, super().delete_view, *args, **kwargs)

    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._unless_needed(request, super().changelist_view, *args, **kwargs)

    def _unless_needed(
        self, request: HttpRequest, act: Page, *args: Any, **kw: Any
    ) -> HttpResponse:
        """Do all that a page is asked for, or nothing, and say what stands in the way."""
        try:
            with transaction.atomic():
                return act(request, *args, **kw)
        except leaving.StillNeeded as obstacle:
            said = f"Nobody was deleted. The owner of the account would read: {obstacle}"
            self.message_user(request, said, messages.ERROR)
            return redirect("admin:auth_user_changelist")


@admin.register(Ban)
class BanAdmin(ReadOnlyAdmin[Ban]):
    list_display = ("user", "reason", "by", "at")
    list_select_related = ("user", "by")
    search_fields = ("user__username",)


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin[Submission]):
    list_display = ("pk", "submitted_by", "run", "state", "created_at")
    list_filter = ("run__state",)
    list_select_related = ("submitted_by", "run__entry__card")
    search_fields = ("submitted_by__username", "run__entry__card__name")

    @admin.display(ordering="run__state")
    def state(self, submission: Submission) -> str:
        return submission.run.get_state_display()


@admin.register(HandledEvent)
class HandledEventAdmin(ReadOnlyAdmin[HandledEvent]):
    list_display = ("pk", "event", "handled_at")
    list_select_related = ("event",)


@admin.register(Organisation)
class OrganisationAdmin(ReadOnlyAdmin[Organisation]):
    """A moderator may confirm that an organisation is who it says, or take that back."""

    list_display = ("name", "domain", "confirmed_how", "confirmed_at", "created_at")
    list_filter = ("confirmed_how",)
    search_fields = ("name", "domain")
    actions = ("confirm", "withdraw_confirmation")

    @admin.action(description="Confirm: it is who it says it is", permissions=["view"])
    def confirm(self, request: HttpRequest, chosen: QuerySet[Organisation]) -> None:
        for organisation in chosen:
            organisations.confirm(organisation, Organisation.Confirmed.MODERATOR)

    @admin.action(description="Take the confirmation back", permissions=["view"])
    def withdraw_confirmation(self, request: HttpRequest, chosen: QuerySet[Organisation]) -> None:
        for organisation in chosen:
            organisations.withdraw_confirmation(organisation)
