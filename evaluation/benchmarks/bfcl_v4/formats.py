"""How a prompt can be put and an answer be asked for: the 26 configurations of the benchmark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

RETURN_FORMATS = ("python", "json", "verbose_xml", "concise_xml")
DOCUMENT_FORMATS = ("python", "xml", "json")
_FIELDS = ("ret_fmt", "tool_call_tag", "func_doc_fmt", "prompt_fmt", "style")
_CHOICES = (
    RETURN_FORMATS,
    ("True", "False"),
    DOCUMENT_FORMATS,
    ("plaintext", "markdown"),
    ("classic", "experimental"),
)


@dataclass(frozen=True, slots=True)
class Format:
    """One configuration: the answer's format, and how the system prompt is written."""

    returns: str = "python"
    has_tag: bool = False
    documents: str = "json"
    prompt: str = "plaintext"
    style: str = "classic"

    def __str__(self) -> str:
        values = (self.returns, str(self.has_tag), self.documents, self.prompt, self.style)
        return "&".join(f"{field}={value}" for field, value in zip(_FIELDS, values, strict=True))


DEFAULT = Format()

# Every answer format with and without tag and with every kind of function description, then
# the default in Markdown, then in the other wording: the order of the official case numbers.
ALL = (
    *(
        Format(returns, has_tag, documents)
        for returns, has_tag, documents in product(RETURN_FORMATS, (True, False), DOCUMENT_FORMATS)
    ),
    Format(prompt="markdown"),
    Format(style="experimental"),
)


@cache
def read(text: str) -> Format:
    """Parse ``ret_fmt=…&tool_call_tag=…&func_doc_fmt=…&prompt_fmt=…&style=…``.

    Raises:
        ValueError: Not a configuration of this benchmark.
    """
    pairs = [part.partition("=") for part in text.split("&")]
    values = [value for _, _, value in pairs]
    if tuple(field for field, _, _ in pairs) != _FIELDS or not all(
        value in allowed for value, allowed in zip(values, _CHOICES, strict=True)
    ):
        raise ValueError(f"{text[:200]!r} is not a prompt configuration")
    return Format(values[0], values[1] == "True", *values[2:])


def of_case(case_id: str) -> Format:
    """The configuration named in a format sensitivity id; the default for any other case."""
    parts = case_id.split(":")
    return read(parts[1]) if len(parts) == 3 else DEFAULT
