"""A sheet as a table for people to paste: Markdown and LaTeX (booktabs). Pure.

Percentages with the one decimal of the page; a dash where there is no figure.
"""

from __future__ import annotations

from collections.abc import Iterator

from leaderboard.boards import Board
from leaderboard.sheets import Cell, Line, Sheet
from leaderboard.tables import View
from leaderboard.text import make_visible

DASH = "–"
INCOMPLETE = "incomplete"
HEADINGS = ("Rank", "Range", "Model", "Organisation", "Mode", "Evidence")
NUMBERS_FROM = len(HEADINGS)
MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_{}[]<>()#+-.!|~&$^=:"})
LATEX = str.maketrans(
    {char: f"\\{char}" for char in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "–": "--",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        '"': r"\symbol{34}",  # the named one is unknown to the usual font encoding
        "|": r"\textbar{}",
    }
)


def as_markdown(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    """A pipe table, with what it shows and where it comes from below."""

    def written(cells: Iterator[str]) -> str:
        return "| " + " | ".join(cell.translate(MARKDOWN) for cell in cells) + " |"

    rules = ["---:", "---:", *["---"] * (NUMBERS_FROM - 2), *["---:"] * len(view.columns)]
    lines = [written(_header(view)), f"| {' | '.join(rules)} |"]
    lines += [written(_cells(line)) for line in sheet.shown]
    lines += ["", f"{_about(board, view)} <{address}>", ""]
    return "\n".join(lines).encode(errors="backslashreplace")


def as_latex(board: Board, view: View, sheet: Sheet, address: str) -> bytes:
    r"""A tabular between booktabs' rules; needs \usepackage{booktabs}."""

    def written(cells: Iterator[str]) -> str:
        return " & ".join(cell.translate(LATEX) for cell in cells) + r" \\"

    shape = f"rr{'l' * (NUMBERS_FROM - 2)}{'r' * len(view.columns)}"
    lines = [
        f"% {_about(board, view)} {_one_line(address)}",
        r"% Needs \usepackage{booktabs} and, for names beyond ASCII, a Unicode engine.",
        rf"\begin{{tabular}}{{{shape}}}",
        r"\toprule",
        written(_header(view)),
        r"\midrule",
        *(written(_cells(line)) for line in sheet.shown),
        r"\bottomrule",
        r"\end{tabular}",
        "",
    ]
    return "\n".join(lines).encode(errors="backslashreplace")


def _about(board: Board, view: View) -> str:
    title = f"{board.benchmark.title} {board.benchmark.version}, {view.title}"
    day = f", as it stood on {board.as_of.isoformat()}" if board.as_of else ""
    return _one_line(f"{title}{day}. Accuracy in percent.")


def _header(view: View) -> Iterator[str]:
    yield from HEADINGS
    yield from (column.title for column in view.columns)


def _cells(line: Line) -> Iterator[str]:
    row, place = line.row, line.standing.place
    yield str(place.rank) if place else DASH
    yield f"{place.span[0]}–{place.span[1]}" if place else DASH
    texts = (row.name, row.organisation, row.mode_title, row.evidence_title)
    yield from (_one_line(text) for text in texts)
    yield from (_figure(cell) for cell in line.cells)


def _figure(cell: Cell) -> str:
    figure = cell.figure
    if figure is None or (figure.value is None and not figure.has_any):
        return DASH
    return INCOMPLETE if figure.value is None else f"{100 * figure.value:.1f}"


def _one_line(text: str) -> str:
    """Foreign text with what hides in it shown, and no line break."""
    return make_visible(" ".join(text.split()))
