"""What goes wrong between a caller and a model, as values: a label, a sentence, and whose trial it was.

A fault is not an examinee's doing, so none of them may become a zero. The exceptions are its own budget, which ends
its work as a deadline does, and a request that the provider fails on though it answers others, which any examinee could
send on purpose: `Fault.spoils` says which faults leave a trial without a grade.
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
    REQUEST_FAILED = "request_failed"
    """The provider fails on this request and answers others: it is about what was asked."""
    BUDGET_SPENT = "budget_spent"
    RUN_BUDGET_SPENT = "run_budget_spent"
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
    Label.REQUEST_FAILED: 502,
    Label.BUDGET_SPENT: 402,
    Label.RUN_BUDGET_SPENT: 402,
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


_ITS_OWN = (Label.BUDGET_SPENT, Label.CLOSED, Label.REQUEST_FAILED)


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
        return not (self.role == "examinee" and self.label in _ITS_OWN)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "label": str(self.label)}
