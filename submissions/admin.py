"""Who brought what in; staff look, the form and the services write."""

from __future__ import annotations

from allauth.account.decorators import secure_admin_login
from django.contrib import admin

from evaluation.admin import ReadOnlyAdmin
from submissions.models import HandledEvent, Submission

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
