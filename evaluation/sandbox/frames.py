"""What travels through the pipes between a worker and its sandbox child.

A frame is four bytes of length (big endian) and that many bytes of JSON. JSON is written in
ASCII, so half of a surrogate pair in a model's text passes unchanged.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict
from typing import BinaryIO

from evaluation.engine.types import JSON, CaseData, Fault, Judgement, Mode, Setup

HEADER = struct.Struct(">I")
MAX_FRAME = 64 * 1024 * 1024  # bytes; the largest case is under 1 MB


class FrameTooLarge(ValueError):
    """A message that nothing legitimate can need."""


def pack(message: JSON) -> bytes:
    """One message as a frame. Raises FrameTooLarge, and RecursionError on hostile nesting."""
    body = json.dumps(message).encode("ascii")
    if len(body) > MAX_FRAME:
        raise FrameTooLarge(f"a message of {len(body)} bytes")
    return HEADER.pack(len(body)) + body


def length_of(header: bytes) -> int:
    """Size of the body that follows, in bytes. Raises FrameTooLarge."""
    length: int = HEADER.unpack(header)[0]
    if length > MAX_FRAME:
        raise FrameTooLarge(f"a message of {length} bytes")
    return length


def read(stream: BinaryIO) -> JSON:
    """The next message, or None at the end of input."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    body = stream.read(length_of(header))
    return json.loads(body)


def job_as_json(case: CaseData, result: JSON, setup: Setup) -> JSON:
    return {
        "id": case.id,
        "category": case.category,
        "question": case.question,
        "answer": case.answer,
        "result": result,
        "mode": setup.mode.value,
        "underscore": setup.underscore,
        "profile": setup.profile,
        "options": dict(setup.options),
    }


def job_from_json(value: JSON) -> tuple[CaseData, JSON, Setup]:
    case = CaseData(value["id"], value["category"], value["question"], value["answer"])
    mode = Mode(value["mode"])
    setup = Setup(mode, value["underscore"], value["profile"], value["options"])
    return case, value["result"], setup


def judgement_as_json(judgement: Judgement) -> JSON:
    return asdict(judgement)


def judgement_from_json(value: JSON) -> Judgement:
    fault = Fault(value["fault"]) if value["fault"] else None
    return Judgement(
        value["valid"],
        value["error_type"],
        fault,
        value["where"],
        value["message"],
        value["measure"],
    )
