"""Staff look at everything, change little, and forge nothing: verbs go through the services."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin, messages
from django.db.models import BooleanField, ExpressionWrapper, Field, Model, Q, QuerySet, URLField
from django.forms import ModelForm
from django.http import HttpRequest

from evaluation.models import (
    Benchmark,
    Case,
    Category,
    CategoryScore,
    Endpoint,
    Entry,
    Erratum,
    ModelCard,
    Reply,
    Run,
    RunEvent,
    Scoring,
    Slice,
    Snapshot,
    Verdict,
)
from evaluation.services import publishing, transitions

admin.site.site_header = "Callboard, behind the scenes"
admin.site.site_title = "Callboard"
admin.site.index_title = "Everything there is"

# An address typed without a scheme means https.
WEB_ADDRESSES: dict[type[Field[Any, Any]], dict[str, Any]] = {URLField: {"assume_scheme": "https"}}

Row = TypeVar("Row", bound=Model)


if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin
else:

    class ModelAdmin(admin.ModelAdmin):
        """Django's own, which is no generic when it runs."""

        def __class_getitem__(cls, row: object) -> type:
            return cls


class ReadOnlyAdmin(ModelAdmin[Row]):
    """Rows that services write: to be looked at."""

    show_full_result_count = False
    formfield_overrides = WEB_ADDRESSES
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        return False


@admin.register(ModelCard)
class ModelCardAdmin(ModelAdmin[ModelCard]):
    """What a card says may be put right by hand."""

    list_display = ("name", "organisation", "licence", "open_weights", "owner", "created_at")
    list_filter = ("open_weights",)
    list_select_related = ("owner",)
    search_fields = ("name", "organisation", "slug")
    readonly_fields = ("slug", "created_at")
    formfield_overrides = WEB_ADDRESSES
    autocomplete_fields = ("owner",)

    def save_model(
        self, request: HttpRequest, obj: ModelCard, form: ModelForm[ModelCard], change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        publishing.announce()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ModelCard | None = None) -> bool:
        return False


@admin.register(Endpoint)
class EndpointAdmin(ReadOnlyAdmin[Endpoint]):
    """The sealed key is no field here, not even as bytes; its last four characters are."""

    list_display = ("remote_model", "base_url", "mode", "card", "owner", "has_key", "created_at")
    list_filter = ("mode",)
    list_select_related = ("card", "owner")
    search_fields = ("remote_model", "base_url", "card__name")
    exclude = ("sealed_key",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Endpoint]:
        is_kept = ExpressionWrapper(Q(sealed_key__isnull=False), BooleanField())
        return super().get_queryset(request).defer("sealed_key").annotate(key_kept=is_kept)

    @admin.display(boolean=True, description="key kept")
    def has_key(self, endpoint: Endpoint) -> bool:
        return bool(vars(endpoint)["key_kept"])


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin[Entry]):
    list_display = ("card", "benchmark", "mode", "evidence", "shown_run", "created_at")
    list_filter = ("benchmark", "mode", "evidence")
    list_select_related = ("card", "benchmark", "shown_run__entry__card")
    search_fields = ("card__name",)


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin[Run]):
    """Submissions make runs and workers write them; staff look, publish, hide and cancel."""

    list_display = ("pk", "entry", "state", "n", "counts", "owner", "published_at", "hidden_at")
    list_filter = ("state", "counts", "entry__benchmark", "entry__mode")
    list_select_related = ("entry__card", "owner")
    search_fields = ("entry__card__name", "owner__username")
    date_hierarchy = "created_at"
    actions = ("publish", "hide", "cancel")

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Who may use the actions: those who might change runs, though no form does."""
        return request.user.has_perm("evaluation.change_run")

    @admin.action(permissions=["operate"], description="Publish (runs with results)")
    def publish(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        ended = runs.filter(
            state__in=(Run.State.FINISHED, Run.State.INCOMPLETE), counts=True, published_at=None
        )
        self._report(request, runs, [publishing.publish(run) for run in ended], "published")

    @admin.action(permissions=["operate"], description="Hide from the board and from readers")
    def hide(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        shown = runs.filter(published_at__isnull=False, hidden_at=None)
        self._report(request, runs, [publishing.hide(run) for run in shown], "hidden")

    @admin.action(permissions=["operate"], description="Cancel (active runs)")
    def cancel(self, request: HttpRequest, runs: QuerySet[Run]) -> None:
        done = [
            transitions.cancel(run, "Cancelled by the operator.")
            for run in runs.filter(state__in=Run.ACTIVE)
        ]
        self._report(request, runs, done, "cancelled")

    def _report(
        self, request: HttpRequest, runs: QuerySet[Run], done: Sequence[Any], verb: str
    ) -> None:
        left = runs.count() - len(done)
        more = f" {left} left as they are: not possible in their state." if left else ""
        level = messages.WARNING if left else messages.SUCCESS
        self.message_user(request, f"{len(done)} {verb}.{more}", level)


@admin.register(RunEvent)
class RunEventAdmin(ReadOnlyAdmin[RunEvent]):
    list_display = ("pk", "run_id", "from_state", "to_state", "reason", "at")
    list_filter = ("to_state",)
    search_fields = ("=run__pk", "reason")


@admin.register(Slice)
class SliceAdmin(ReadOnlyAdmin[Slice]):
    list_display = ("pk", "run_id", "number", "state", "lease_until", "not_before", "expiries")
    list_filter = ("state",)
    search_fields = ("=run__pk",)


@admin.register(Reply)
class ReplyAdmin(ReadOnlyAdmin[Reply]):
    """Bodies are read on the case page, where they are cut and shown as text."""

    list_display = ("pk", "run_id", "case", "turn", "step", "attempt", "status", "trouble")
    list_filter = ("trouble", "accepted")
    list_select_related = ("case",)
    search_fields = ("=run__pk", "case__name")
    exclude = ("body",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Reply]:
        return super().get_queryset(request).defer("body")


@admin.register(Scoring)
class ScoringAdmin(ReadOnlyAdmin[Scoring]):
    list_display = ("pk", "run_id", "scorer_version", "answers_version", "profile", "is_current")
    list_filter = ("scorer_version", "is_current")
    search_fields = ("=run__pk",)


@admin.register(Verdict)
class VerdictAdmin(ReadOnlyAdmin[Verdict]):
    list_display = ("pk", "case", "outcome", "fault", "error_type", "attempts")
    list_filter = ("outcome", "fault")
    list_select_related = ("case",)
    search_fields = ("case__name", "=scoring__run__pk")


@admin.register(CategoryScore)
class CategoryScoreAdmin(ReadOnlyAdmin[CategoryScore]):
    list_display = ("pk", "category", "n", "correct", "wrong", "unscored", "accuracy")
    list_filter = ("category",)
    list_select_related = ("category",)


@admin.register(Benchmark)
class BenchmarkAdmin(ReadOnlyAdmin[Benchmark]):
    list_display = ("title", "slug", "suite", "version", "is_current", "cases_public_from")
    search_fields = ("title", "slug")


@admin.register(Category)
class CategoryAdmin(ReadOnlyAdmin[Category]):
    list_display = ("name", "benchmark", "position", "n", "modes", "is_extra", "unavailable")
    list_filter = ("benchmark",)
    list_select_related = ("benchmark",)


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin[Case]):
    list_display = ("name", "category", "position")
    list_filter = ("category",)
    list_select_related = ("category",)
    search_fields = ("name",)


@admin.register(Erratum)
class ErratumAdmin(ReadOnlyAdmin[Erratum]):
    list_display = ("case", "answers_version", "profile", "is_excluded", "reason", "created_at")
    list_select_related = ("case",)


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin[Snapshot]):
    list_display = ("benchmark", "date", "source", "created_at")
    list_select_related = ("benchmark",)
