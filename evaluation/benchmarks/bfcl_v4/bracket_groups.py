"""Finding lists of bracketed groups in hostile text, in time linear in its length.

The official patterns ``[ [..], [..] ]`` and ``[ {..}, {..} ]`` are regular expressions with a
lazy part inside a repeated group, which take exponential time on crafted text. What they match
is worked out here without backtracking.
"""

from __future__ import annotations

import re

_BLANKS = re.compile(r"\s*")


def end_of_groups(
    text: str, start: int, brackets: str, closing: str, *, within_line: bool
) -> int | None:
    """Where a list of groups ends whose first group's content begins at `start`.

    A group is an opening bracket, as little text as possible, and a closing bracket; groups are
    separated by commas and followed by `closing`. Equal to matching, lazily,
    ``.*?\\]\\s*(,\\s*\\[.*?\\]\\s*)*`` and then `closing`, for the two `brackets`.

    Args:
        brackets: The opening and the closing bracket of a group.
        within_line: Whether the content of a group may not contain a newline.

    Returns:
        The index after `closing`, or None where there is no such list.
    """
    opening, group_end = brackets[0], brackets[1]
    nearest: int | None = None  # the nearest group end, rightwards, after which all goes well
    ends: dict[int, int] = {}
    for place in reversed([found.start() for found in re.finditer(re.escape(group_end), text)]):
        if place < start:
            break
        after = _skip_blanks(text, place + 1)
        end: int | None = None
        if text.startswith(",", after):
            content = _skip_blanks(text, after + 1)
            if text.startswith(opening, content):
                end = _reach(text, content + 1, nearest, ends, within_line)
        if end is None and text.startswith(closing, after):
            end = after + 1
        if end is not None:
            ends[place] = end
            nearest = place
    return _reach(text, start, nearest, ends, within_line)


def _skip_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


def _reach(
    text: str, content: int, nearest: int | None, ends: dict[int, int], within_line: bool
) -> int | None:
    if nearest is None or nearest < content:
        return None
    if within_line and text.find("\n", content, nearest) >= 0:
        return None
    return ends[nearest]
