"""A run's frozen configuration as a reader sees it: pairs of a name and a text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from evaluation.models import Benchmark, Mode

USUAL_TEMPERATURE = 0.001


def described(values: Mapping[str, Any], benchmark: Benchmark) -> list[tuple[str, str]]:
    """What was frozen, in the words of the page; what is not there is left out."""
    pairs = [
        ("Benchmark", f"{benchmark.title} {benchmark.version}"),
        ("Scorer", _text(values.get("scorer_version"))),
        ("Mode", _mode(values)),
        ("Uploaded as", _text(values.get("uploaded"))),
        ("Model there", _text(values.get("remote_model"))),
        ("Address", _address(_text(values.get("base_url")))),
        ("Sampling", _sampling(values["parameters"]) if "parameters" in values else ""),
        ("Reasoning", _reasoning(_text(values.get("reasoning_end")))),
        ("Options", _options(values.get("options"))),
        ("In flight", _text(values.get("in_flight"))),
        ("Deadline", _seconds(values.get("timeout"))),
        ("Prices", _prices(values.get("price_in"), values.get("price_out"))),
        ("Client", _text(values.get("client_version") or values.get("app_version"))),
        ("Data", _text(values.get("benchmark_digest") or benchmark.digest)[:16]),
    ]
    return [(name, text) for name, text in pairs if text]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _mode(values: Mapping[str, Any]) -> str:
    if values.get("mode") == Mode.PROMPT:
        return "Prompt: functions as text in the prompt"
    dots = "sent as underscores" if values.get("underscore") else "sent as they are"
    return f"FC; dots in names {dots}"


def _address(url: str) -> str:
    """The address without anything that could be a secret in disguise."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = parts.hostname or ""
    if not host:
        return ""
    return f"{parts.scheme}://{host}{f':{parts.port}' if parts.port else ''}{parts.path}"


def _sampling(parameters: object) -> str:
    if not isinstance(parameters, Mapping) or not parameters:
        return f"temperature {USUAL_TEMPERATURE}, nothing else sent"
    shown = {"temperature": USUAL_TEMPERATURE} | dict(parameters)
    return ", ".join(f"{name} {json.dumps(value)}" for name, value in shown.items())


def _reasoning(marker: str) -> str:
    return f"text up to {marker} removed before decoding" if marker else ""


def _options(options: object) -> str:
    """Settings of the machine that verdicts hang on, by their own names."""
    if not isinstance(options, Mapping):
        return ""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in options.items())


def _seconds(timeout: object) -> str:
    return f"{timeout} s a request, 5 attempts" if timeout else ""


def _prices(price_in: object, price_out: object) -> str:
    if price_in in (None, "") or price_out in (None, ""):
        return ""
    return f"${price_in} in, ${price_out} out per million tokens, as the submitter gave them"
