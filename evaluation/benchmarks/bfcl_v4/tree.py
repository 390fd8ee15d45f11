"""The categories of BFCL V4 and how their figures make up Overall: the official weights."""

from __future__ import annotations

from evaluation.benchmarks.bfcl_v4 import vectors, web
from evaluation.benchmarks.categories import Category, Group, Mean

_SIMPLE = Group(
    "simple",
    "Simple",
    (
        Category("simple_python", "Simple Python", 400),
        Category("simple_java", "Simple Java", 100),
        Category("simple_javascript", "Simple JavaScript", 50),
    ),
)
NON_LIVE = Group(
    "non_live",
    "Non-live",
    (
        _SIMPLE,
        Category("multiple", "Multiple", 200),
        Category("parallel", "Parallel", 200),
        Category("parallel_multiple", "Parallel multiple", 200),
    ),
    weight=10,
)
LIVE = Group(
    "live",
    "Live",
    (
        Category("live_simple", "Live simple", 258),
        Category("live_multiple", "Live multiple", 1053),
        Category("live_parallel", "Live parallel", 16),
        Category("live_parallel_multiple", "Live parallel multiple", 24),
    ),
    mean=Mean.BY_CASES,
    weight=10,
)
IRRELEVANCE = Group(
    "irrelevance_detection",
    "Irrelevance detection",
    (
        Category("irrelevance", "Irrelevance", 240),
        Category("live_irrelevance", "Live irrelevance", 884),
    ),
    weight=10,
)
MULTI_TURN = Group(
    "multi_turn",
    "Multi-turn",
    (
        Category("multi_turn_base", "Multi-turn base", 200, in_sandbox=True),
        Category("multi_turn_miss_func", "Multi-turn missing function", 200, in_sandbox=True),
        Category("multi_turn_miss_param", "Multi-turn missing parameter", 200, in_sandbox=True),
        Category("multi_turn_long_context", "Multi-turn long context", 200, in_sandbox=True),
    ),
    weight=30,
)
_WEB_SEARCH = Group(
    "web_search",
    "Web search",
    (
        Category("web_search_base", "Web search", 100, unavailable=web.unavailable()),
        Category(
            "web_search_no_snippet",
            "Web search without snippets",
            100,
            unavailable=web.unavailable(),
        ),
    ),
)
_MEMORY = Group(
    "memory",
    "Memory",
    (
        Category("memory_kv", "Memory, key-value", 155),
        Category("memory_vector", "Memory, vector", 155, unavailable=vectors.unavailable()),
        Category("memory_rec_sum", "Memory, recursive summary", 155),
    ),
)
AGENTIC = Group("agentic", "Agentic", (_WEB_SEARCH, _MEMORY), weight=40)

OVERALL = Group(
    "overall",
    "Overall",
    (NON_LIVE, LIVE, IRRELEVANCE, MULTI_TURN, AGENTIC),
    mean=Mean.WEIGHTED,
)

# Reported beside the benchmark. Relevance is part of every official run; format sensitivity
# asks 200 questions in 26 ways each and is meant for prompt mode only.
RELEVANCE = Category("live_relevance", "Live relevance", 16)
FORMAT_SENSITIVITY = Category(
    "format_sensitivity", "Format sensitivity", 5200, modes=("prompt",), is_extra=True
)
EXTRAS = (RELEVANCE, FORMAT_SENSITIVITY)

SINGLE_TURN = (
    *(leaf.name for group in (NON_LIVE, IRRELEVANCE, LIVE) for leaf in group.leaves()),
    RELEVANCE.name,
)
# Cases of these take several requests; official files hold figures of each.
STEPWISE = ("multi_turn_", "memory_", "web_search_")
CATEGORIES = {leaf.name: leaf for leaf in (*OVERALL.leaves(), *EXTRAS)}
