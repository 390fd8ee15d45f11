"""A submission form filled in well, to be spoilt one field at a time."""

from __future__ import annotations

KEY = "sk-planted-0123456789abcdef"


def good_answers(**changes: object) -> dict[str, object]:
    """What a browser would send; a change to None leaves the field out."""
    answers: dict[str, object] = {
        "name": "Example model",
        "organisation": "Example Institute",
        "licence": "Apache 2.0",
        "open_weights": "true",
        "link": "https://example.org/model",
        "base_url": "https://api.example.org/v1",
        "remote_model": "example-7b",
        "key": KEY,
        "mode": "fc",
        "underscore": "on",
        "in_flight": "8",
        "timeout": "120",
        "which": "all",
        "terms": "on",
    }
    return {name: value for name, value in (answers | changes).items() if value is not None}
