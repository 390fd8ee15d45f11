"""Who brought what in; staff look, the form and the services write."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from evaluation.admin import ReadOnlyAdmin
from submissions import organisations
from submissions.models import HandledEvent, Organisation, Submission

# The one way in, with its limits and second factors, for the admin as well.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


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
