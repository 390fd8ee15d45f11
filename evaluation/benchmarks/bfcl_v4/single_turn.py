"""The single-turn categories: one question, one answer, one verdict."""

from __future__ import annotations

from evaluation.benchmarks.bfcl_v4 import decode, formats
from evaluation.benchmarks.bfcl_v4.decode import Undecodable
from evaluation.benchmarks.bfcl_v4.hints import NATIVE, language_of, with_hints
from evaluation.benchmarks.bfcl_v4.judge import judge_calls, judge_relevance, judge_restraint
from evaluation.benchmarks.bfcl_v4.prompts import system_prompt, with_system_prompt
from evaluation.benchmarks.bfcl_v4.tools import as_tools
from evaluation.benchmarks.bfcl_v4.tree import FORMAT_SENSITIVITY
from evaluation.benchmarks.suite import BenchmarkMissing
from evaluation.engine.play import Ask, Play
from evaluation.engine.text import plain
from evaluation.engine.types import JSON, Answer, CaseData, Judgement, Mode, Question, Setup

_JUDGES = {
    "irrelevance": judge_restraint,
    "live_irrelevance": judge_restraint,
    "live_relevance": judge_relevance,
}
EXPECTS = {
    "irrelevance": "No call: none of the functions can answer the question.",
    "live_irrelevance": "No call: none of the functions can answer the question.",
    "live_relevance": "At least one call, whichever function it names.",
}
_CALLS_DUE = "Exactly the accepted calls, each argument with one of its accepted values."
_SOURCE_DUE = "Exactly the accepted calls, each argument as {} source text for an accepted value."


def play(case: CaseData, setup: Setup) -> Play:
    """Ask once and take the answer as it comes."""
    answer = yield Ask(question(case, setup))
    if not isinstance(answer, Answer):
        raise TypeError("a question is answered with an Answer")
    return answer.result


def question(case: CaseData, setup: Setup) -> Question:
    """The one request of a case: tools in FC mode, a system prompt in prompt mode."""
    functions = with_hints(case.question["function"], case.category)
    if case.category == FORMAT_SENSITIVITY.name:
        functions = with_hints(functions, case.category)  # quirk: the hint comes twice here
    messages = case.question["question"][0]
    if setup.mode == Mode.FC:
        tools = as_tools(functions, underscore=setup.underscore)
        return Question(tuple(messages), tools or None)  # four cases offer no function at all
    prompt = system_prompt(functions, formats.of_case(case.id))
    return Question(tuple(with_system_prompt(messages, prompt)), tools=None)


def judge(case: CaseData, result: JSON, setup: Setup) -> Judgement:
    """The official verdict; never raises on a model's result."""
    return _JUDGES.get(case.category, judge_calls)(case, result, setup)


def decoded(case: CaseData, result: JSON, setup: Setup) -> JSON:
    """The calls read from a result as strict JSON, None where none can be read."""
    form = formats.of_case(case.id)
    language = language_of(case.category)
    try:
        calls = decode.calls_in(
            result,
            setup.mode,
            form.returns if language == "python" else language,
            has_tag=form.has_tag,
        )
    except (Undecodable, BenchmarkMissing):
        return None
    return plain(calls)


def expects(case: CaseData) -> str:
    language = NATIVE.get(language_of(case.category))
    due = _SOURCE_DUE.format(language) if language else _CALLS_DUE
    return EXPECTS.get(case.category, due)
