"""Checkpoints, results and the strategies that turn them into a score.

Standard library only: this file travels into every sandbox, where evaluators import it as `scoring`.
Every number that leaves here is a checked integer with 0 <= result <= total; every reason is a line of plain text.
"""

from __future__ import annotations

import operator
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict  # noqa: UP035  # the alias below needs the old spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Score = Dict[str, int]  # noqa: UP006  # an alias is evaluated, so it keeps to what every sandbox's Python knows

LONGEST_REASON = 600  # characters; what is longer is cut


LEFT_OUT = "it asks a model, which grading along the way leaves out"
"""The reason of a check that was not made."""


class Points(int):
    """What a check gives, and why: `return Points(2, "the sheet has 3,780 in May")`.

    It is a number like any other; `Checkpoint` takes the reason over from it.
    """

    reason: str

    def __new__(cls, points: object, reason: str = "") -> Points:
        self = super().__new__(cls, _whole_number(points, "points"))
        self.reason = clean_reason(reason, "the reason for points")
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # a copy keeps its reason
        return Points, (int(self), self.reason)


@dataclass
class Checkpoint:
    """One thing the examinee had to get done: how many points it is worth, how many it earned, and why.

    The reason is for whoever reads the result; without one, that of the `Points` given as result is taken.
    """

    total: int
    result: int
    reason: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.result, Points) and self.reason == "":
            self.reason = self.result.reason
        self.reason = clean_reason(self.reason, "a checkpoint's reason")
        self.total = _whole_number(self.total, "a checkpoint's total")
        self.result = _whole_number(self.result, "a checkpoint's result")
        _check_range(self.total, self.result, "a checkpoint")

    @property
    def complete(self) -> bool:
        """Full marks were earned. A checkpoint worth nothing completes nothing, so it can unlock no bonus."""
        return self.total > 0 and self.result == self.total


@dataclass
class Result:
    """What a grader hands back. The list is kept, not copied: evaluators append to it afterwards."""

    checkpoints: list[Checkpoint]
    scoring_strategy: Callable[[list[Checkpoint]], Score] | None = None

    @property
    def final_score(self) -> Score:
        """The strategy's score, refused unless it is two whole numbers with 0 <= result <= total."""
        checkpoints = self._checked()
        strategy = self.scoring_strategy or sum_of_checkpoints
        score = strategy(checkpoints)
        name = getattr(strategy, "__name__", type(strategy).__name__)
        if not isinstance(score, dict) or not {"total", "result"} <= set(score):
            raise TypeError(f"the scoring strategy '{name}' must return {{'total': int, 'result': int}}, not {score!r}")
        total = _whole_number(score["total"], f"the total from '{name}'")
        result = _whole_number(score["result"], f"the result from '{name}'")
        _check_range(total, result, f"the score from '{name}'")
        return {"total": total, "result": result}

    def to_dict(self) -> dict[str, Any]:
        """The documented shape of a result file. A checkpoint has a `reason` only where one was given."""
        rows: list[dict[str, Any]] = []
        for each in self._checked():
            rows.append({"total": each.total, "result": each.result})
            if each.reason:
                rows[-1]["reason"] = each.reason
        return {"checkpoints": rows, "final_score": self.final_score}

    @classmethod
    def from_dict(
        cls,
        data: Mapping[str, Any],
        scoring_strategy: Callable[[list[Checkpoint]], Score] | None = None,
    ) -> Result:
        """Read what `to_dict` wrote. Without a strategy, a recorded final score is kept as recorded."""
        if not isinstance(data, dict):
            raise TypeError(f"a result must be an object, not {type(data).__name__}")
        if not isinstance(data.get("checkpoints"), list):
            raise ValueError("a result must have a list of 'checkpoints'")
        checkpoints = []
        for number, row in enumerate(data["checkpoints"], start=1):
            if not isinstance(row, dict) or set(row) - {"reason"} != {"total", "result"}:
                shown = repr(row)[:LONGEST_REASON]
                raise ValueError(
                    f"checkpoint {number} must be an object with 'total', 'result' and perhaps 'reason', not {shown}"
                )
            checkpoints.append(Checkpoint(row["total"], row["result"], row.get("reason", "")))
        result = cls(checkpoints, scoring_strategy)
        if scoring_strategy is None and "final_score" in data:
            recorded = data["final_score"]
            result.scoring_strategy = lambda _: recorded
            result.scoring_strategy = _constant(result.final_score)
        return result

    def _checked(self) -> list[Checkpoint]:
        """The checkpoints, each checked again because an evaluator may have assigned to one."""
        for number, each in enumerate(self.checkpoints, start=1):
            if not isinstance(each, Checkpoint):
                raise TypeError(f"checkpoint {number} must be a Checkpoint, not {type(each).__name__}")
            each.__post_init__()
        return self.checkpoints


def sum_of_checkpoints(checkpoints: Sequence[Checkpoint]) -> Score:
    """The default: every point earned counts, and nothing else does."""
    return {
        "total": sum(each.total for each in checkpoints),
        "result": sum(each.result for each in checkpoints),
    }


def bonus_for_completing_any(checkpoints: Sequence[Checkpoint]) -> Score:
    """Full credit for the first checkpoint as soon as any checkpoint is complete.

    For tasks whose first checkpoint is a look-up that the later ones could not have been done without.
    """
    return _first_if(any(each.complete for each in checkpoints), checkpoints)


def bonus_for_completing_all(checkpoints: Sequence[Checkpoint]) -> Score:
    """Full credit for the whole task when the last checkpoint is complete.

    For tasks whose last checkpoint is the goal, reachable by more than one road.
    """
    score = sum_of_checkpoints(checkpoints)
    if checkpoints and checkpoints[-1].complete:
        score["result"] = score["total"]
    return score


bonus_for_completing_final = bonus_for_completing_all


def bonus_for_completing_any_of_given_checkpoints(
    given: Sequence[int],
) -> Callable[[Sequence[Checkpoint]], Score]:
    """Like `bonus_for_completing_any`, unlocked only by checkpoints with these numbers (the first is 1)."""
    numbers = [_whole_number(number, "a checkpoint's number") for number in given]

    def strategy(checkpoints: Sequence[Checkpoint]) -> Score:
        for number in numbers:
            if checkpoints and not 1 <= number <= len(checkpoints):
                raise ValueError(
                    f"there is no checkpoint {number}: this task has {len(checkpoints)}, and the first is 1"
                )
        return _first_if(bool(checkpoints) and any(checkpoints[n - 1].complete for n in numbers), checkpoints)

    return strategy


def clean_reason(reason: object, what: str = "a reason") -> str:
    """A reason as one line of plain text: signs that steer a terminal or a page are spaces, what is too long is cut."""
    if not isinstance(reason, str):
        raise TypeError(f"{what} must be text, not {repr(reason)[:80]} ({type(reason).__name__})")
    start = reason[: 8 * LONGEST_REASON]
    words = "".join(" " if unicodedata.category(sign)[0] == "C" else sign for sign in start).split()
    text = " ".join(words)
    if len(text) <= LONGEST_REASON and len(start) == len(reason):
        return text
    return text[: LONGEST_REASON - 1].rstrip() + "…"


def _first_if(unlocked: bool, checkpoints: Sequence[Checkpoint]) -> Score:
    score = sum_of_checkpoints(checkpoints)
    if unlocked:
        score["result"] += checkpoints[0].total - checkpoints[0].result
    return score


def _constant(score: Score) -> Callable[[list[Checkpoint]], Score]:
    def recorded(_: list[Checkpoint]) -> Score:
        return dict(score)

    return recorded


def _whole_number(value: object, what: str) -> int:
    """Integers of any library, and bools (Python's or numpy's) as 0 or 1; never a float, even a round one."""
    if type(value).__name__ in ("bool", "bool_"):
        return int(bool(value))
    try:
        return int(operator.index(value))  # type: ignore[arg-type]  # the TypeError it raises is the check
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {value!r} ({type(value).__name__})") from None


def _check_range(total: int, result: int, what: str) -> None:
    if total < 0:
        raise ValueError(f"{what} cannot have a negative total ({total})")
    if not 0 <= result <= total:
        raise ValueError(f"{what} must have a result between 0 and its total {total}, not {result}")
