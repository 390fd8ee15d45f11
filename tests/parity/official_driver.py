"""Runs the official evaluation. Executed by the throw-away environment's Python, never by ours.

Takes one JSON text: the model's settings, categories and the folder with `result`. Vendors'
clients, which scoring never calls, are replaced by empty modules.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

HOLLOW = ("openai", "openai.types", "openai.types.responses", "pandas")


class Hollow(ModuleType):
    """A module that has every name and does nothing."""

    __path__ = ()  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Exception,), {})


def main(job: dict[str, Any]) -> None:
    for name in HOLLOW:
        sys.modules[name] = Hollow(name)
    model = job["model"]
    registry: Any = ModuleType("bfcl_eval.constants.model_config")
    registry.MODEL_CONFIG_MAPPING = {}
    sys.modules["bfcl_eval.constants.model_config"] = registry

    from bfcl_eval.model_handler.api_inference.openai_completion import (  # type: ignore
        OpenAICompletionsHandler,
    )

    registry.MODEL_CONFIG_MAPPING[model["folder"]] = SimpleNamespace(
        model_name=model["folder"],
        display_name=model["display_name"],
        url="",
        org=model["organisation"],
        license=model["licence"],
        model_handler=OpenAICompletionsHandler,
        input_price=None,
        output_price=None,
        is_fc_model=model["is_fc"],
        underscore_to_dot=model["underscore"],
    )

    from bfcl_eval.eval_checker import eval_runner  # type: ignore

    exported = Path(job["exported"])
    target = exported / "official"
    target.mkdir()
    eval_runner.runner([model["folder"]], job["categories"], exported / "result", target)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
