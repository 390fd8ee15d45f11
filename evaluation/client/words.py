"""The words by which endpoints in the field name what went wrong.

Searched in lower case, in what an error body says as code, type, parameter and message.
"""

from __future__ import annotations

import re

from evaluation.client.parameters import ALLOWED_PARAMETERS

FILTERED = re.compile(
    r"content[_ -]?(filter|policy|management)|responsibleai|\bmoderation\b|data_inspection_failed"
    r"|flagged (as|for|by)|usage polic(y|ies)|safety (system|filter|reasons|settings)"
    r"|prohibited_content|inappropriate content|sensitive content|敏感内容"
)
TOO_LONG = re.compile(
    r"context[_ -]?(length|window|size|limit)|exceed_context|max(imum)?_model_len"
    r"|maximum model length"
    r"|(prompt|input|messages?)( length)? (is|are|was) too (long|large)"
    r"|too many (input |prompt )?tokens|input (token|length).{0,40}exceed|prompt_too_long"
    r"|reduce the length|(prompt|input).{0,60}exceeds?.{0,40}(maximum|limit|max).{0,40}token"
)
# The answer we may ask for is too long, not the question: a setting of the submitter's.
ANSWER_TOO_LONG = re.compile(r"max_(completion_)?tokens\W{0,3}.{0,40}too (large|big|high)")
TOOL_SCHEMA = re.compile(
    r"(?<!\w)tools?\W{0,3}[\[.,]\W?\d+|functions?\W{0,2}[\[.]\W?\d+|function\.(name|parameters)"
    r"|invalid (json )?schema|schema for function|(tool|function).{0,40}schema"
    r"|schema.{0,40}(tool|function)|invalid[_ ]function[_ ]parameters|(tool|function) names?\b"
    r"|\^\[a-z\w\\.-]*\]|input_schema|function_declarations"
)
# The server was started without tool calls, or its model's template has none.
NO_TOOLS = re.compile(
    r"does not support (tools?|functions?)\b|enable-auto-tool-choice|tool[_ -]call[_ -]parser"
    r"|requires --jinja"
)
# A server that checks what its model wrote objects to the call, not to the tools on offer.
CALL_REFUSED = re.compile(r"tool_use_failed|failed_generation|tool call validation failed")
# Names that only an objection near by turns into a complaint: errors quote questions and
# arguments too, and those speak of temperatures and stops.
SETTING = "|".join([*ALLOWED_PARAMETERS, "stream"])
SETTING_NAME = re.compile(rf"\b({SETTING}|model)\b")
OBJECTION = (
    r"not (support|allow|permit)|cannot|must be|too (large|big|high)|deprecated|between"
    r"|less than|greater than|unsupported|invalid|out of range|unknown"
)
PARAMETER = re.compile(
    r"(un(supported|known|recogni[sz]ed|expected)|not (supported|permitted|allowed))"
    r"[_ ]?(request )?(parameter|argument|field|keyword|property)|unsupported_(parameter|value)"
    r"|extra (inputs|fields)|additional properties"
    rf"|\b({SETTING})\b.{{0,40}}({OBJECTION})"
    r"|does not support temperature|tool[_ -]?choice|api[_ -]?key"
)
MODEL = re.compile(
    r"model_not_found|invalid_model|unknown[_ ]model|model\b.{0,120}(does not exist|not found"
    r"|not exist|not available|not supported|is not a valid|unavailable|no access|deprecated"
    r"|decommissioned)|invalid model|no such model|not a valid model|model_decommissioned"
)
QUOTA = re.compile(
    r"quota|billing|\bcredits?\b|\bbalance\b|payment|spend(ing)? limit|out of funds|prepaid"
)
