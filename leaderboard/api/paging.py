"""Long lists in pages that stay the same while rows are added: a cursor, not a number."""

from __future__ import annotations

import re
from typing import Any

from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request

from leaderboard.api.problems import NotThere

USUAL, MOST = 100, 500  # rows of a page
KEY = r"[0-9]{1,18}"  # a primary key


class Pages(CursorPagination):
    """Orders by one unique number, so that no row is skipped or seen twice."""

    ordering = "pk"
    page_size = USUAL
    page_size_query_param = "limit"
    max_page_size = MOST
    page_size_query_description = f"Rows of a page, 1 to {MOST}; {USUAL} if not given."
    cursor_query_description = "Where to go on: take it from `next` or `previous`."
    invalid_cursor_message = "This cursor is not one of ours: take it from next or previous."

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        return (getattr(view, "ordering", self.ordering),)

    def decode_cursor(self, request: Request) -> Cursor | None:
        """Also refuses a position that is no number: it is compared with a primary key."""
        cursor: Cursor | None = super().decode_cursor(request)
        position = cursor.position if cursor else None
        if position is not None and not re.fullmatch(KEY, str(position)):
            raise NotThere(self.invalid_cursor_message)
        return cursor

    def get_page_size(self, request: Request) -> int:
        """The viewset has checked it before."""
        return int(request.query_params.get(self.page_size_query_param or "") or USUAL)
