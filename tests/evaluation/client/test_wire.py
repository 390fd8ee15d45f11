"""What is sent, byte for byte, and what is read from whatever comes back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from evaluation.client.errors import NotACompletion
from evaluation.client.target import Target
from evaluation.client.wire import Completion, build_request, read, request_sha256
from evaluation.engine.types import Mode, Question
from tests.evaluation.client.asking import TOOL, USER, WITH_TOOLS, WITHOUT_TOOLS

THERE = Target("https://host.example/v1", "the-model")


def body(message: dict[str, Any] | None, **choice: Any) -> bytes:
    usage = {"prompt_tokens": 1, "completion_tokens": 2}
    choices = [{"index": 0, "message": message, "finish_reason": "stop", **choice}]
    return json.dumps({"choices": choices, "usage": usage}).encode()


def call(name: Any = "f", arguments: Any = "{}", **more: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": "c1", "type": "function", "function": function, **more}


def fc(*calls: Any, content: Any = None) -> Completion:
    return read(
        body({"role": "assistant", "content": content, "tool_calls": list(calls)}), Mode.FC
    )


def test_a_request_holds_model_messages_tools_and_temperature_and_nothing_else() -> None:
    sent = json.loads(build_request(WITH_TOOLS, THERE))

    assert sent == {
        "model": "the-model",
        "messages": [USER],
        "tools": [TOOL],
        "temperature": 0.001,
    }


@pytest.mark.parametrize("question", [WITHOUT_TOOLS, Question((USER,), ())])
def test_without_tools_none_are_sent(question: Question) -> None:
    assert "tools" not in json.loads(build_request(question, THERE))


def test_the_same_question_gives_the_same_bytes_in_any_order_of_parameters() -> None:
    one = Target("https://host.example/v1", "m", {"seed": 1, "top_p": 0.5})
    other = Target("https://host.example/v1", "m", {"top_p": 0.5, "seed": 1})

    assert build_request(WITH_TOOLS, one) == build_request(WITH_TOOLS, other)
    assert len(request_sha256(build_request(WITH_TOOLS, one))) == 64


def test_a_parameter_cannot_replace_what_is_asked() -> None:
    smuggled = Target("https://host.example/v1", "m", {"messages": []})

    with pytest.raises(ValueError, match="cannot be set"):
        build_request(WITH_TOOLS, smuggled)


def test_half_a_surrogate_pair_in_the_history_can_still_be_sent() -> None:
    question = Question(({"role": "assistant", "content": "\ud800 é \x00"},), None)

    sent = build_request(question, THERE)

    assert json.loads(sent)["messages"][0]["content"] == "\ud800 é \x00"


@pytest.mark.parametrize(
    ("arguments", "text", "deviations"),
    [
        ('{"a": 1}', '{"a": 1}', ()),
        ({"a": 1.0, "b": [None]}, '{"a": 1.0, "b": [null]}', ("arguments_object",)),
        ({}, "{}", ("arguments_object",)),
        ("", "{}", ("arguments_empty",)),
        (None, "{}", ("arguments_missing",)),
        ('{"a": ', '{"a": ', ("undecodable_call",)),
        (" ", " ", ("undecodable_call",)),
        ("[1]", "[1]", ()),
        ("null", "null", ()),
        ([1], [1], ("undecodable_call",)),
        (5, 5, ("undecodable_call",)),
        (False, False, ("undecodable_call",)),
        ('{"a": NaN}', '{"a": NaN}', ()),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}', ()),
    ],
)
def test_arguments_are_read_leniently_in_three_ways_and_no_other(
    arguments: Any, text: Any, deviations: tuple[str, ...]
) -> None:
    completion = fc(call(arguments=arguments))

    assert completion.answer.result == [{"f": text}]
    assert completion.deviations == deviations


def test_missing_arguments_are_empty_ones() -> None:
    completion = fc({"id": "c", "type": "function", "function": {"name": "f"}})

    assert completion.answer.result == [{"f": "{}"}]
    assert completion.deviations == ("arguments_missing",)


def test_a_call_s_message_goes_into_the_history_as_the_official_generator_sends_it() -> None:
    message = {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "hm",
        "refusal": None,
        "tool_calls": [call("f", '{"a": 1}', index=0), call("g", {"b": 2})],
    }

    completion = read(body(message), Mode.FC)

    assert completion.reasoning == "hm"
    assert completion.answer.message == {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [call("f", '{"a": 1}'), call("g", '{"b": 2}')],
    }


def test_calls_without_ids_get_some_so_that_replies_can_name_them() -> None:
    completion = fc(call(id=None), call(id=""))

    ids = [one["id"] for one in completion.answer.message["tool_calls"]]
    assert ids == ["call_1", "call_2"]
    assert "missing_call_id" in completion.deviations


@pytest.mark.parametrize(
    "calls",
    [None, {}, "f()", 5, [None], ["f"], [{}], [{"function": None}], [{"function": {}}]],
)
def test_what_is_no_list_of_calls_leaves_the_text(calls: Any) -> None:
    completion = read(body({"content": "hello", "tool_calls": calls}), Mode.FC)

    assert completion.answer.result == "hello"
    assert completion.answer.message == {"role": "assistant", "content": "hello"}


def test_an_empty_list_of_calls_is_an_empty_list() -> None:
    assert fc(content="hello").answer.result == []


@pytest.mark.parametrize(("name", "key"), [(None, "null"), (5, "5"), ("", "")])
def test_an_odd_name_is_kept_as_the_official_file_would_hold_it(name: Any, key: str) -> None:
    assert fc(call(name=name)).answer.result == [{key: "{}"}]


def test_the_old_function_call_field_is_no_call() -> None:
    old = {"content": None, "function_call": {"name": "f", "arguments": "{}"}}

    assert read(body(old), Mode.FC).answer.result is None


def test_prompt_mode_reads_the_text_alone() -> None:
    message = {"content": "[f(a=1)]", "tool_calls": [call()], "reasoning": "because"}

    completion = read(body(message), Mode.PROMPT)

    assert completion.answer.result == "[f(a=1)]"
    assert completion.answer.message == {"role": "assistant", "content": "[f(a=1)]"}
    assert completion.reasoning == "because"


@pytest.mark.parametrize(
    ("text", "left", "is_counted"),
    [
        ("<think>a</think>[f()]", "[f()]", True),
        ("a</think>b</think>[f()]", "[f()]", True),
        ("[f()]", "[f()]", False),
        ("<think>endless", "<think>endless", False),
        ("all thought</think>", "", True),
    ],
)
def test_reasoning_up_to_the_marker_is_removed_in_prompt_mode(
    text: str, left: str, is_counted: bool
) -> None:
    completion = read(body({"content": text}), Mode.PROMPT, "</think>")

    assert completion.answer.result == left
    assert completion.answer.message["content"] == left
    assert ("reasoning_removed" in completion.deviations) == is_counted


def test_nothing_is_removed_in_fc_mode_or_without_a_marker() -> None:
    text = "<think>a</think>b"

    assert read(body({"content": text}), Mode.FC, "</think>").answer.result == text
    assert read(body({"content": text}), Mode.PROMPT).answer.result == text


@pytest.mark.parametrize(
    "content", [[{"type": "text", "text": "[f()]"}], {"text": "x"}, 5, True, ["a"]]
)
def test_content_that_is_no_text_is_kept_and_counted(content: Any) -> None:
    for mode in Mode:
        completion = read(body({"content": content}), mode)

        assert completion.answer.result == content
        assert completion.deviations == ("content_not_text",)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 8, "completion_tokens": 2}, (8, 2)),
        ({"prompt_tokens": 8.0, "completion_tokens": 0}, (8, 0)),
        ({"prompt_tokens": 8}, (8, None)),
        ({"prompt_tokens": "8", "completion_tokens": -1}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": 2**40}, (None, None)),
        ({"prompt_tokens": 1.5, "completion_tokens": float("nan")}, (None, None)),
        (None, (None, None)),
        ([], (None, None)),
    ],
)
def test_token_counts_are_counts_or_unknown(
    usage: Any, tokens: tuple[int | None, int | None]
) -> None:
    document = {"choices": [{"message": {"content": "x"}}], "usage": usage}

    completion = read(json.dumps(document).encode(), Mode.FC)

    assert (completion.tokens_in, completion.tokens_out) == tokens
    assert ("usage_missing" in completion.deviations) == (None in tokens)


@pytest.mark.parametrize(
    ("choice", "limit", "flag"),
    [
        ({"finish_reason": "length"}, None, "truncated"),
        ({"finish_reason": "stop"}, 2, "truncated"),
        ({"finish_reason": "stop"}, 3, None),
        ({"finish_reason": "content_filter"}, None, "refused"),
        ({"finish_reason": 5}, None, None),
    ],
)
def test_cut_off_and_filtered_answers_are_flagged(
    choice: dict[str, Any], limit: int | None, flag: str | None
) -> None:
    completion = read(body({"content": "x"}, **choice), Mode.FC, token_limit=limit)

    assert completion.deviations == ((flag,) if flag else ())


def test_a_reason_to_finish_is_one_short_clean_line() -> None:
    completion = read(body({"content": "x"}, finish_reason="st\x00op\ud800" + "!" * 99), Mode.FC)

    assert completion.finish_reason.startswith("st op !")
    assert len(completion.finish_reason) <= 40


def test_a_refusal_is_flagged_in_whichever_field_it_comes() -> None:
    refused = read(body({"content": None, "refusal": "I will not."}), Mode.FC)
    filtered = read(body(None, finish_reason="content_filter"), Mode.FC)

    assert refused.is_refused
    assert filtered.is_refused
    assert filtered.answer.result is None


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "f"}</tool_call>',
        "<function=f><parameter=a>1",
        '[TOOL_CALLS] [{"name": "f"}]',
        '{"name": "f", "arguments": {}}',
        '```json\n{"name": "f", "parameters": {}}\n```',
        "<|python_tag|>f.call()",
    ],
)
def test_a_call_written_as_text_is_counted_and_not_made(text: str) -> None:
    completion = read(body({"content": text}), Mode.FC)

    assert completion.answer.result == text
    assert completion.deviations == ("call_in_text",)


def sse(*chunks: Any, end: str = "data: [DONE]\n\n") -> bytes:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode() + end.encode()


def delta(finish_reason: Any = None, **parts: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": parts, "finish_reason": finish_reason}]}


def part(index: int | None, **function: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"function": function}
    if "name" in function:
        found["id"] = f"id{function['name']}"
    return found if index is None else {"index": index, **found}


def test_an_unasked_stream_amounts_to_its_final_message() -> None:
    stream = sse(
        delta(role="assistant", content=""),
        delta(reasoning_content="hm"),
        delta(tool_calls=[part(0, name="f", arguments="")]),
        delta(tool_calls=[part(0, arguments='{"a"')]),
        delta(tool_calls=[part(1, name="g", arguments="{}")]),
        delta("tool_calls", tool_calls=[part(0, arguments=": 1}")]),
        {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}},
    )

    completion = read(b": keep-alive\n\n" + stream, Mode.FC)

    assert completion.answer.result == [{"f": '{"a": 1}'}, {"g": "{}"}]
    assert completion.deviations == ("unasked_stream",)
    assert completion.finish_reason == "tool_calls"
    assert (completion.tokens_in, completion.reasoning) == (1, "hm")


def test_a_stream_s_text_is_joined_whatever_characters_it_holds() -> None:
    stream = sse(delta(content="a\u2028b"), delta(content="\n\ndata: c"), delta("stop"))

    completion = read(stream.replace(b"\\u2028", "\u2028".encode()), Mode.PROMPT)

    assert completion.answer.result == "a\u2028b\n\ndata: c"


def test_a_stream_without_indexes_tells_calls_apart_by_their_ids() -> None:
    stream = sse(
        delta(tool_calls=[part(None, name="f", arguments='{"a":')]),
        delta(tool_calls=[part(None, arguments="1}")]),
        delta("stop", tool_calls=[part(None, name="g", arguments="{}")]),
    )

    assert read(stream, Mode.FC).answer.result == [{"f": '{"a":1}'}, {"g": "{}"}]


@pytest.mark.parametrize(
    "stream",
    [
        sse(delta(content="half an ans"), end=""),
        sse(delta(content="x"), {"error": {"message": "overloaded"}}),
        b"data: {not json}\n\n",
        b": nothing but comments\n\n",
        b"data: [1]\n\ndata: [DONE]\n\n",
    ],
)
def test_a_stream_that_breaks_off_is_no_completion(stream: bytes) -> None:
    with pytest.raises(NotACompletion):
        read(stream, Mode.FC)


@pytest.mark.parametrize(
    "odd",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"choices": {}}',
        b'{"choices": [null]}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": "hi"}]}',
        b'{"choices": [{"text": "hi"}]}',
        b'{"choices": [{"delta": {"content": "hi"}}]}',
        b'{"error": "x", "choices": [{"message": {"content": "hi"}}]}',
        b'{"choices": [{"message": {"content": ""}, "finish_reason": "error"}]}',
        b'{"choices": [{"message": {}, "error": {"code": 502}}]}',
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"choices": ' + b"[" * 300 + b"]" * 300 + b"}",
    ],
)
def test_what_is_no_completion_says_so(odd: bytes) -> None:
    with pytest.raises(NotACompletion):
        read(odd, Mode.FC)


def test_brackets_inside_texts_are_not_depth() -> None:
    text = "[{" * 5000 + '\\"'

    assert read(body({"content": text}), Mode.FC).answer.result == text


def test_a_number_too_long_to_be_one_stays_text_and_harms_nothing() -> None:
    huge = body({"content": None, "tool_calls": [call(arguments={"a": 7})]}).replace(
        b'{"a": 7}', b'{"a": ' + b"9" * 5000 + b"}"
    )

    result = read(huge, Mode.FC).answer.result

    assert json.loads(result[0]["f"]) == {"a": "9" * 5000}


def test_bytes_that_are_no_utf_8_and_a_byte_order_mark_are_survived() -> None:
    odd = b"\xef\xbb\xbf \n" + body({"content": "x~y"}).replace(b"~", b"\xff")

    assert read(odd, Mode.FC).answer.result == "x\ufffdy"


anything = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=8),
    lambda inner: (
        some.lists(inner, max_size=3)
        | some.dictionaries(
            some.sampled_from(["name", "arguments", "function", "id", "content", "tool_calls"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(message=anything, mode=some.sampled_from(Mode))
def test_any_message_is_read_or_refused_and_its_result_is_json(message: Any, mode: Mode) -> None:
    sent = json.dumps({"choices": [{"message": message}]}).encode()

    try:
        completion = read(sent, mode, "</think>", 5)
    except NotACompletion:
        return

    json.dumps([completion.answer.result, completion.answer.message])
    assert all(len(name) <= 40 for name in completion.deviations)


@given(some.binary(max_size=200))
def test_any_bytes_are_read_or_refused(sent: bytes) -> None:
    for start in (b"", b"data: ", b'{"choices": [{"message": {"content": "'):
        try:
            read(start + sent, Mode.FC)
        except NotACompletion:
            continue
