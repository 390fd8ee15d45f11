"""Accounts: users, tokens, passwords, and the bank accounts behind them."""

from __future__ import annotations

import random
import string

from evaluation.benchmarks.apibank.tools.base import (
    Arguments,
    Record,
    State,
    Tool,
    ToolError,
    same_all,
    same_inputs,
    stripped,
    texts,
)
from evaluation.engine.types import JSON

ACCOUNTS = "Account management"
FINANCE = "Finance"
RESET_CODE = 970420
TOKEN_LENGTH = 18


def fresh_token(seed: str) -> str:
    """A token nobody has yet; the same user always gets the same one, so runs repeat."""
    dice = random.Random(seed)  # noqa: S311 - a simulated token protects nothing
    return "".join(dice.choices(string.ascii_lowercase + string.digits, k=TOKEN_LENGTH))


def check_token(state: State, given: Arguments) -> JSON:
    return {"username": state.user_of(given["token"])}


def get_token(state: State, given: Arguments) -> JSON:
    account = state.databases["Account"].get(given["username"])
    if account is None:
        raise ToolError("The username does not exist.")
    if account["password"] != given["password"]:
        raise ToolError("The password is incorrect.")
    return {"token": account["token"]}


def register(state: State, given: Arguments) -> JSON:
    accounts = state.databases["Account"]
    if given["username"] in accounts:
        raise ToolError("The username already exists.")
    told = state.told["token"] if state.told else None
    token = told or fresh_token(given["username"])
    accounts[given["username"]] = {
        "password": given["password"],
        "token": token,
        "email": given["email"],
    }
    return {"token": token}


def registered_alike(mine: Record, gold: Record) -> bool:
    """The token is random: only whether there is one counts."""
    if gold["output"] is None and mine["output"] is not None:
        return False
    return bool(mine["input"] == gold["input"] and mine["exception"] == gold["exception"])


def delete_account(state: State, given: Arguments) -> JSON:
    del state.databases["Account"][state.user_of(given["token"])]
    return {"status": "success"}


def modify_password(state: State, given: Arguments) -> JSON:
    account = state.databases["Account"][state.user_of(given["token"])]
    if account["password"] != given["old_password"]:
        raise ToolError("The old password is incorrect.")
    account["password"] = given["new_password"]
    return {"status": "success"}


def forgot_password(state: State, given: Arguments) -> JSON:
    if given["status"] == "Forgot Password":
        return _begin_reset(state, given)
    if given["status"] == "Verification Code":
        return _finish_reset(state, given)
    raise ToolError("The status is only 'Forgot Password' or 'Verification Code'.")


def _begin_reset(state: State, given: Arguments) -> int:
    if "username" not in given or "email" not in given:
        raise ToolError("The username and email are required for the first call.")
    account = state.databases["Account"].get(given["username"])
    if account is None:
        raise ToolError("The username does not exist.")
    if account["email"] != given["email"]:
        raise ToolError("The email is incorrect.")
    state.reset_codes.clear()
    state.reset_codes[given["username"]] = RESET_CODE
    return RESET_CODE


def _finish_reset(state: State, given: Arguments) -> str:
    if not state.reset_codes:
        raise ToolError("You need to call the API with status 'Forgot Password' at first.")
    if "new_password" not in given or "verification_code" not in given:
        raise ToolError("The new password and verification code are required for the second call.")
    ((user, code),) = state.reset_codes.items()
    if given["verification_code"] != code:
        raise ToolError("The verification code is incorrect.")
    if user in state.databases["Account"]:
        state.databases["Account"][user]["password"] = given["new_password"]
    return "success"


def open_bank_account(state: State, given: Arguments) -> str:
    if given["account"] in state.bank_accounts:
        return "failed"
    state.bank_accounts.append(given["account"])
    return "success"


def query_balance(state: State, given: Arguments) -> JSON:
    try:
        user = state.user_of(given["token"])
    except ToolError:
        raise ToolError("The token is incorrect.") from None
    if user not in state.databases["Bank"]:
        raise ToolError("The user does not have an account.")
    return state.databases["Bank"][user]["balance"]


TOOLS = (
    Tool("CheckToken", ACCOUNTS, texts("token"), check_token, same_all),
    Tool("GetUserToken", ACCOUNTS, texts("username", "password"), get_token, same_all),
    Tool(
        "RegisterUser",
        ACCOUNTS,
        texts("username", "password", "email"),
        register,
        registered_alike,
        names_itself=False,
    ),
    Tool("DeleteAccount", ACCOUNTS, texts("token"), delete_account, same_all, names_itself=False),
    Tool(
        "ModifyPassword",
        ACCOUNTS,
        texts("token", "old_password", "new_password"),
        modify_password,
        same_all,
    ),
    Tool(
        "ForgotPassword",
        ACCOUNTS,
        {
            **texts("status", "username", "email"),
            "verification_code": "int",
            **texts("new_password"),
        },
        forgot_password,
        same_all,
        optional=("username", "email", "verification_code", "new_password"),
        names_itself=False,
    ),
    Tool(
        "OpenBankAccount",
        FINANCE,
        texts("account", "password", "name"),
        open_bank_account,
        same_all,
    ),
    Tool("QueryBalance", FINANCE, texts("token"), query_balance, same_inputs(token=stripped)),
)
