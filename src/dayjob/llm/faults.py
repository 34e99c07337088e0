"""What goes wrong between a caller and a model, as values: a label, a sentence, and whose trial it was.

A fault is never an examinee's doing, so none of them may become a zero. The one exception is its own budget, which ends
its work as a deadline does: `Fault.spoils` says which faults leave a trial without a grade.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Label(StrEnum):
    """Why a model's answer is missing."""

    PROVIDER_DOWN = "provider_down"
    LATE = "late"
    REFUSED = "refused"
    MALFORMED = "malformed"
    BUDGET_SPENT = "budget_spent"
    UNCONFIGURED = "unconfigured"
    REPLAY_MISS = "replay_miss"
    CLOSED = "closed"
    GATEWAY_FAILED = "gateway_failed"


# What a caller on the wire gets. None of these is worth asking again: the gateway has already retried.
STATUS = {
    Label.PROVIDER_DOWN: 503,
    Label.LATE: 504,
    Label.REFUSED: 502,
    Label.MALFORMED: 502,
    Label.BUDGET_SPENT: 402,
    Label.UNCONFIGURED: 503,
    Label.REPLAY_MISS: 502,
    Label.CLOSED: 403,
    Label.GATEWAY_FAILED: 500,
}


class ModelFault(Exception):
    """No usable answer came from the model; the sentence says why and what would help."""

    def __init__(self, label: Label, sentence: str) -> None:
        super().__init__(sentence)
        self.label = label
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault as the outcome of a trial keeps it."""

    time: str
    trial: str
    role: str
    label: Label
    sentence: str

    @property
    def spoils(self) -> bool:
        """Whether the trial cannot be graded because of it."""
        return not (self.role == "examinee" and self.label in (Label.BUDGET_SPENT, Label.CLOSED))

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "label": str(self.label)}
