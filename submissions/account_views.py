"""One's own account: what there is, taking it along, and leaving."""

from __future__ import annotations

from allauth.account.decorators import reauthentication_required
from allauth.core import ratelimit
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from submissions import leaving
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
    refused = ratelimit.consume_or_429(request, action="export", user=request.user, limit_get=True)
    if refused:
        return refused
    response = JsonResponse(
        leaving.all_about(request.user),
        json_dumps_params={"ensure_ascii": False, "indent": 2},
    )
    response["Content-Disposition"] = 'attachment; filename="callboard-account.json"'
    return response


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@reauthentication_required(allow_get=True)
def delete(request: UserRequest) -> HttpResponse:
    """Delete the reader's account; the page says beforehand what stays."""
    if request.method == "POST":
        refused = ratelimit.consume_or_429(request, action="delete", user=request.user)
        if refused:
            return refused
        try:
            leaving.delete_account(request.user)
        except leaving.StillNeeded as obstacle:
            messages.error(request, str(obstacle))
            return redirect("account-delete")
        logout(request)
        messages.success(request, "Your account is deleted. Thank you for having been here.")
        return redirect("home")
    return render(request, "account/delete.html")
