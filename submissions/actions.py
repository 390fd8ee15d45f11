"""What an owner may do to a run, as a table: the pages show exactly what will be taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.models import Run
from evaluation.services import transitions
from submissions import moderation
from submissions.models import Publication
from submissions.refusals import Refused

State = Run.State


class NotPossible(Exception):
    """What was asked cannot be done to this run now; the message says why."""


@dataclass(frozen=True, slots=True)
class Action:
    """One button: when it is offered, what it does, what is said afterwards."""

    name: str
    label: str
    is_offered: Callable[[Run], bool]
    carry_out: Callable[[Run], object]  # may give a sentence in place of `done`
    done: str
    is_main: bool = False
    warning: str = ""  # of what cannot be undone: asked before it is done


def _can_pause(run: Run) -> bool:
    """An upload asks nobody: there is nothing to pause."""
    return (
        run.endpoint_id is not None
        and run.state in (State.QUEUED, State.RUNNING)
        and not run.is_local
    )


def _can_resume(run: Run) -> bool:
    return run.state == State.PAUSED and not run.is_local


def _can_ask_again(run: Run) -> bool:
    """Never without the key the endpoint wants: every question would be rejected."""
    if run.state != State.INCOMPLETE or run.published_at is not None or run.is_local:
        return False
    return run.endpoint is not None and not run.endpoint.lost_its_key


def _ask_again(run: Run) -> None:
    moderation.refuse_banned(run.owner)
    transitions.ask_again(run)


def _can_publish(run: Run) -> bool:
    if run.state not in (State.FINISHED, State.INCOMPLETE) or run.published_at is not None:
        return False
    wish = moderation.of(run)
    return run.counts and (wish is None or wish.state == Publication.State.WITHDRAWN)


def _publish(run: Run) -> str:
    wish = moderation.request(run)
    if wish.state == Publication.State.PUBLISHED:
        return ""
    return f"A moderator looks at it before it is public. {' '.join(wish.doubts.splitlines())}"


def _can_withdraw(run: Run) -> bool:
    if run.published_at is not None:
        return run.hidden_at is None
    wish = moderation.of(run)
    return wish is not None and wish.state in moderation.OPEN


ACTIONS = {
    action.name: action
    for action in (
        Action(
            "publish",
            "Publish",
            _can_publish,
            _publish,
            "Published. The board shows it now, and its configuration and answers with it.",
            is_main=True,
        ),
        Action(
            "resume",
            "Resume",
            _can_resume,
            lambda run: transitions.resume(run, "Resumed on request."),
            "Resumed. It goes on where it stopped.",
            is_main=True,
        ),
        Action(
            "pause",
            "Pause",
            _can_pause,
            lambda run: transitions.pause(run, "Paused on request.", by_owner=True),
            "Paused. What has been asked is kept; resume it whenever you like.",
        ),
        Action(
            "ask-again",
            "Ask the missing cases again",
            _can_ask_again,
            _ask_again,
            "Queued again: only cases without a verdict are asked.",
        ),
        Action(
            "cancel",
            "Cancel the run",
            lambda run: run.is_active,
            lambda run: transitions.cancel(run, "Cancelled on request."),
            "Cancelled. What had been asked is kept for you to read.",
            warning="It cannot be resumed, nor published unless it had ended before. "
            "What was asked stays for you to read.",
        ),
        Action(
            "withdraw",
            "Withdraw",
            _can_withdraw,
            moderation.withdraw,
            "Withdrawn. Where it was public, a note stays that it was, and that it was withdrawn.",
            warning="It leaves the board; where it was public, a note stays that it was.",
        ),
    )
}


def possible(run: Run) -> list[Action]:
    """The actions a run's owner has now, the main one first."""
    return [action for action in ACTIONS.values() if action.is_offered(run)]


def carry_out(action: Action, run: Run) -> str:
    """Do it, and return the sentence that says it is done.

    Raises:
        NotPossible: The run is in another state by now, or its submitter is banned.
    """
    if not action.is_offered(run):
        raise NotPossible(
            f"“{action.label}” is not possible now. State of the run: {run.get_state_display()}."
        )
    try:
        said = action.carry_out(run)
    except (moderation.NotPossible, Refused) as reason:
        raise NotPossible(str(reason)) from reason
    return said if isinstance(said, str) and said else action.done
