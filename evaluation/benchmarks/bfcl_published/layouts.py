"""The columns of the official tables, era by era, and which category each one speaks of.

Facts of the published files. A table is recognised by its whole header: one column more, less
or renamed, and it is refused rather than read with its figures shifted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

OVERALL, NON_LIVE, LIVE = "data_overall.csv", "data_non_live.csv", "data_live.csv"
MULTI_TURN, AGENTIC = "data_multi_turn.csv", "data_agentic.csv"
FORMAT_SENSITIVITY = "data_format_sensitivity.csv"


@dataclass(frozen=True, slots=True)
class Layout:
    """One era: the benchmark its tables belong to, and every table's header."""

    suite: str  # slug of the benchmark the figures belong to
    headers: Mapping[str, tuple[str, ...]]
    # table -> column -> category of that benchmark
    categories: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    # Categories whose number of cases was another one then: the only number at which every
    # printed percentage of the column is a whole number of cases.
    sizes: Mapping[str, int] = field(default_factory=dict)


_SPEED = ("Latency Mean (s)", "Latency Standard Deviation (s)", "Latency 95th Percentile (s)")
_COST_V3, _COST_V4 = "Cost ($ Per 1k Function Calls)", "Total Cost ($)"
_NON_LIVE_AST = (
    "Non-Live AST Acc",
    "Non-Live Simple AST",
    "Non-Live Multiple AST",
    "Non-Live Parallel AST",
    "Non-Live Parallel Multiple AST",
)
_NON_LIVE_EXEC = (
    "Non-Live Exec Acc",
    "Non-Live Simple Exec",
    "Non-Live Multiple Exec",
    "Non-Live Parallel Exec",
    "Non-Live Parallel Multiple Exec",
)
_LIVE_AST = (
    "Live Acc",
    "Live Simple AST",
    "Live Multiple AST",
    "Live Parallel AST",
    "Live Parallel Multiple AST",
)
_TURNS = (
    "Multi Turn Acc",
    "Multi Turn Base",
    "Multi Turn Miss Func",
    "Multi Turn Miss Param",
    "Multi Turn Long Context",
)
_AGENTIC = (
    "Web Search Acc",
    "Web Search Base",
    "Web Search No Snippet",
    "Memory Acc",
    "Memory KV",
    "Memory Vector",
    "Memory Recursive Summarization",
)
_RELEVANCE = ("Relevance Detection", "Irrelevance Detection")
_SENSITIVITY = ("Format Sensitivity Max Delta", "Format Sensitivity Standard Deviation")
_OWNER = ("Organization", "License")
_AST_COLUMNS = (
    "AST Summary",
    "Simple AST",
    "Python Simple AST",
    "Java Simple AST",
    "JavaScript Simple AST",
    "Multiple AST",
    "Parallel AST",
    "Parallel Multiple AST",
)
_EXEC_COLUMNS = (
    "Simple Exec",
    "Python Simple Exec",
    "REST Simple Exec",
    "Multiple Exec",
    "Parallel Exec",
    "Parallel Multiple Exec",
)
_LIVE_HEADER = (
    "Rank",
    "Model",
    "Live Overall Acc",
    "AST Summary",
    "Python Simple AST",
    "Python Multiple AST",
    "Python Parallel AST",
    "Python Parallel Multiple AST",
    "Irrelevance Detection",
    "Relevance Detection",
)
_TURNS_HEADER = (
    "Rank",
    "Model",
    "Multi Turn Overall Acc",
    "Base",
    "Miss Func",
    "Miss Param",
    "Long Context",
)
_AGENTIC_HEADER = (
    "Rank",
    "Model",
    "Agentic Overall Acc",
    "Web Search Summary",
    "Web Search Base",
    "Web Search No Snippet",
    "Memory Summary",
    "Memory KV",
    "Memory Vector",
    "Memory Recursive Summarization",
)


def _overall(cost: str, *blocks: tuple[str, ...]) -> tuple[str, ...]:
    middle = tuple(column for block in blocks for column in block)
    return ("Rank", "Overall Acc", "Model", "Model Link", cost, *_SPEED, *middle, *_OWNER)


def format_configurations() -> tuple[str, ...]:
    """The 26 formats of format sensitivity in the order of the official columns."""
    plain = tuple(
        f"ret_fmt={returned}&tool_call_tag={tag}&func_doc_fmt={docs}"
        "&prompt_fmt=plaintext&style=classic"
        for returned in ("python", "json", "verbose_xml", "concise_xml")
        for tag in ("True", "False")
        for docs in ("python", "xml", "json")
    )
    default = "ret_fmt=python&tool_call_tag=False&func_doc_fmt=json"
    return (
        *plain,
        f"{default}&prompt_fmt=markdown&style=classic",
        f"{default}&prompt_fmt=plaintext&style=experimental",
    )


_AST_CATEGORIES = {
    "Python Simple AST": "simple_python",
    "Java Simple AST": "simple_java",
    "JavaScript Simple AST": "simple_javascript",
    "Multiple AST": "multiple",
    "Parallel AST": "parallel",
    "Parallel Multiple AST": "parallel_multiple",
    "Irrelevance Detection": "irrelevance",
}
_EXEC_CATEGORIES = {
    "Python Simple Exec": "exec_simple",
    "REST Simple Exec": "rest",
    "Multiple Exec": "exec_multiple",
    "Parallel Exec": "exec_parallel",
    "Parallel Multiple Exec": "exec_parallel_multiple",
}
_LIVE_CATEGORIES = {
    "Python Simple AST": "live_simple",
    "Python Multiple AST": "live_multiple",
    "Python Parallel AST": "live_parallel",
    "Python Parallel Multiple AST": "live_parallel_multiple",
    "Irrelevance Detection": "live_irrelevance",
    "Relevance Detection": "live_relevance",
}
_TURNS_CATEGORIES = {
    "Base": "multi_turn_base",
    "Miss Func": "multi_turn_miss_func",
    "Miss Param": "multi_turn_miss_param",
    "Long Context": "multi_turn_long_context",
}
_AGENTIC_CATEGORIES = {
    "Web Search Base": "web_search_base",
    "Web Search No Snippet": "web_search_no_snippet",
    "Memory KV": "memory_kv",
    "Memory Vector": "memory_vector",
    "Memory Recursive Summarization": "memory_rec_sum",
}
_OLD_CATEGORIES = {
    NON_LIVE: _AST_CATEGORIES,
    LIVE: _LIVE_CATEGORIES,
    MULTI_TURN: _TURNS_CATEGORIES,
}
_NON_LIVE_WITH_EXEC = (
    "Rank",
    "Model",
    "Non_Live Overall Acc",
    "AST Summary",
    "Exec Summary",
    *_AST_COLUMNS[1:],
    *_EXEC_COLUMNS,
    "Irrelevance Detection",
)

V3_COMPOSITE = Layout(  # until November 2024
    suite="bfcl-v3",
    headers={
        OVERALL: _overall(
            _COST_V3,
            _NON_LIVE_AST,
            _NON_LIVE_EXEC,
            _LIVE_AST,
            (*_TURNS, "Multi Turn Composite"),
            _RELEVANCE,
        ),
        NON_LIVE: _NON_LIVE_WITH_EXEC,
        LIVE: _LIVE_HEADER,
        MULTI_TURN: _TURNS_HEADER,
    },
    categories={**_OLD_CATEGORIES, NON_LIVE: {**_AST_CATEGORIES, **_EXEC_CATEGORIES}},
    sizes={"live_multiple": 1037, "live_irrelevance": 875, "live_relevance": 41},
)
V3_EXEC = Layout(  # early 2025
    suite="bfcl-v3",
    headers={
        OVERALL: _overall(_COST_V3, _NON_LIVE_AST, _NON_LIVE_EXEC, _LIVE_AST, _TURNS, _RELEVANCE),
        NON_LIVE: _NON_LIVE_WITH_EXEC,
        LIVE: _LIVE_HEADER,
        MULTI_TURN: _TURNS_HEADER,
    },
    categories={**_OLD_CATEGORIES, NON_LIVE: {**_AST_CATEGORIES, **_EXEC_CATEGORIES}},
)
V3_WITHOUT_EXEC = Layout(  # mid 2025: executable categories dropped
    suite="bfcl-v3",
    headers={
        OVERALL: _overall(_COST_V3, _NON_LIVE_AST, _LIVE_AST, _TURNS, _RELEVANCE),
        NON_LIVE: (
            "Rank",
            "Model",
            "Non_Live Overall Acc",
            *_AST_COLUMNS,
            "Irrelevance Detection",
        ),
        LIVE: _LIVE_HEADER,
        MULTI_TURN: _TURNS_HEADER,
    },
    categories=_OLD_CATEGORIES,
)
V4 = Layout(  # from August 2025
    suite="bfcl-v4",
    headers={
        OVERALL: _overall(
            _COST_V4, _NON_LIVE_AST, _LIVE_AST, _TURNS, _AGENTIC, _RELEVANCE, _SENSITIVITY
        ),
        NON_LIVE: (
            "Rank",
            "Model",
            "Non-Live Overall Acc",
            *_AST_COLUMNS,
            "Irrelevance Detection",
        ),
        LIVE: _LIVE_HEADER,
        MULTI_TURN: _TURNS_HEADER,
        AGENTIC: _AGENTIC_HEADER,
        FORMAT_SENSITIVITY: (
            "Rank",
            "Model",
            *_SENSITIVITY,
            *(f"Config {name}" for name in format_configurations()),
        ),
    },
    categories={**_OLD_CATEGORIES, AGENTIC: _AGENTIC_CATEGORIES},
)
LAYOUTS = (V4, V3_WITHOUT_EXEC, V3_EXEC, V3_COMPOSITE)
COST_COLUMNS = (_COST_V4, _COST_V3)
