"""A web page as text or as Markdown, read in one pass in time linear in its length."""

from __future__ import annotations

import re
from html.parser import HTMLParser

_SILENT = frozenset(("script", "style"))
_SECTIONS = (
    "article",
    "aside",
    "body",
    "div",
    "footer",
    "form",
    "header",
    "main",
    "nav",
    "section",
)
_TEXTS = (
    "address",
    "blockquote",
    "dd",
    "dl",
    "dt",
    "figure",
    "hr",
    "ol",
    "p",
    "pre",
    "table",
    "ul",
)
_BLOCKS = frozenset((*_SECTIONS, *_TEXTS, "head", "title", "tr"))
_MARKS = {"b": "**", "strong": "**", "i": "_", "em": "_", "code": "`"}
_HEADING = re.compile(r"h([1-6])")
_SPACE = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n\s*\n\s*")


def as_text(html: str) -> str:
    """Every piece of text on a line of its own, without scripts and styles."""
    reader = _Text()
    reader.feed(html)
    reader.close()
    return "\n".join(reader.pieces)


def as_markdown(html: str) -> str:
    """Headings, links, lists and emphasis as Markdown; everything else as plain text."""
    reader = _Markdown()
    reader.feed(html)
    reader.close()
    return _BLANK_LINES.sub("\n\n", "".join(reader.pieces)).strip() + "\n"


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.silent += tag in _SILENT

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT and self.silent:
            self.silent -= 1

    def handle_data(self, data: str) -> None:
        if not self.silent and (text := data.strip()):
            self.pieces.append(text)


class _Markdown(_Text):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "a":
            self.links.append(dict(attrs).get("href") or "")
        self.pieces.append(_opening(tag))

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        if tag == "a" and self.links:
            self.pieces.append(f"]({self.links.pop()})")
        elif tag in _MARKS:
            self.pieces.append(_MARKS[tag])
        elif tag in _BLOCKS or _HEADING.fullmatch(tag):
            self.pieces.append("\n\n")

    def handle_data(self, data: str) -> None:
        if not self.silent:
            self.pieces.append(_SPACE.sub(" ", data))


def _opening(tag: str) -> str:
    if heading := _HEADING.fullmatch(tag):
        return "\n\n" + "#" * int(heading[1]) + " "
    if tag in _BLOCKS:
        return "\n\n"
    return {"a": "[", "li": "\n* ", "br": "  \n", "td": " ", "th": " "}.get(tag) or _MARKS.get(
        tag, ""
    )
