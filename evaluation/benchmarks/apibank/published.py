"""Published results, each table a column set of its own: their denominators differ.

Evidence is *published*: nobody here has seen the answers. None of these columns is the repaired
profile's, which counts each call once and leaves errata out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from evaluation.benchmarks.apibank.published_rows import (
    EMNLP_TABLE_3,
    EMNLP_TABLE_7,
    FIRST_VERSION_TABLE_3,
    TOOLACE_TABLE_3,
    TOOLRL_TABLE_2,
)
from evaluation.benchmarks.apibank.taxonomy import PaperClass
from evaluation.benchmarks.apibank.tree import LEVELS
from evaluation.benchmarks.suite import ColumnSet

_EMNLP = "Li et al., API-Bank, EMNLP 2023, https://aclanthology.org/2023.emnlp-main.187"
# What was read of these papers has no page numbers; none is made up.
_NO_PAGE = "page not known"
_LEVELS = tuple(LEVELS.values())

COLUMN_SETS = (
    ColumnSet(
        "emnlp-table-3",
        "API-Bank paper",
        f"{_EMNLP}, Table 3, page 3108",
        (*_LEVELS, "Total"),
        (399, 135, 50, None),
        EMNLP_TABLE_3,
        "Calls that follow a call are counted twice; level 3 counts tasks without a wrong step. "
        "The total cannot be rebuilt from the levels.",
    ),
    ColumnSet(
        "emnlp-table-7",
        "API-Bank paper, two training sets",
        f"{_EMNLP}, Table 7, page 3110",
        ("Call",),
        (None,),
        EMNLP_TABLE_7,
        "Two fine-tunings of Alpaca; the figure of Lynx differs from that in Table 3. ROUGE-L "
        "is printed in percent here.",
    ),
    ColumnSet(
        "first-version-table-3",
        "API-Bank, first version",
        f"Li et al., API-Bank, https://arxiv.org/abs/2304.08244v1, Table 3, {_NO_PAGE}",
        _LEVELS[:2],
        (399, 135),
        FIRST_VERSION_TABLE_3,
        "53 tools, and no level 3 of the later kind.",
    ),
    ColumnSet(
        "toolace-table-3",
        "ToolACE paper",
        f"Liu et al., ToolACE, ICLR 2025, https://arxiv.org/abs/2409.00920v2, Table 3, {_NO_PAGE}",
        _LEVELS[:2],
        (399, 135),
        TOOLACE_TABLE_3,
        "No level 3. Alpaca, ChatGLM and Lynx are copied from the API-Bank paper.",
    ),
    ColumnSet(
        "toolrl-table-2",
        "ToolRL paper",
        f"Qian et al., ToolRL, https://arxiv.org/abs/2504.13958v1, Table 2, {_NO_PAGE}",
        (*_LEVELS, "Overall"),
        (399, 67, 131, None),
        TOOLRL_TABLE_2,
        "A harness of its own; the figures fit these denominators, without tool searches.",
    ),
)

# Shares of errors by class, in percent as printed.
ERROR_SHARES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "Alpaca-7B (Table 4, page 3109)": {
            PaperClass.NO_API_CALL: 36.77,
            PaperClass.HALLUCINATION: 15.93,
            PaperClass.INVALID_PARAMETERS: 7.96,
            PaperClass.FALSE_FORMAT: 23.65,
            PaperClass.MISSING_PARAMETERS: 1.17,
        },
        "Lynx-7B (Table 5, page 3109)": {
            PaperClass.HALLUCINATION: 61.38,
            PaperClass.HAS_EXCEPTION: 16.4,
            PaperClass.INVALID_PARAMETERS: 8.47,
            PaperClass.FALSE_FORMAT: 6.88,
            PaperClass.NO_API_CALL: 5.29,
            PaperClass.MISSING_PARAMETERS: 1.59,
        },
        "GPT-4 (Table 6, page 3109)": {
            "Failed API retrieval": 67.86,
            PaperClass.FALSE_FORMAT: 17.86,
            PaperClass.INVALID_PARAMETERS: 7.14,
            PaperClass.MISSING_PARAMETERS: 7.14,
        },
    }
)
