"""How colleagues did over trials: rates for each task, mind and model, and the score with and without their faults.

The score stands in every trial. The second row is for whoever wants to know what it would be without those in which a
colleague was at fault; it is there only when there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dayjob.report.breakdown import Group, group
from dayjob.report.trial_facts import Known
from dayjob.trial.colleague_rows import COUNTED

MINDS = {"script": "script", "llm": "model"}
"""What a reader calls each kind of mind."""


@dataclass(slots=True)
class Rates:
    """The colleagues of one task with one kind of mind and one model, over trials."""

    task: str
    mind: str
    model: str
    trials: int = 0
    sheets: bool = False
    """Whether any of them has a sheet; without one only questions, answers and repeats can be counted."""
    counts: dict[str, int] = field(default_factory=dict)
    faults: int = 0
    trials_with_faults: int = 0

    def share(self, what: str) -> float | None:
        """Of the plain questions that were put to them; None where there were none."""
        asked = self.counts.get("asked", 0)
        return self.counts.get(what, 0) / asked if asked else None


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's score, of all trials and of those without a colleague's fault."""

    entrant: str
    every: Group
    without: Group


def colleague_rates(known: Sequence[Known]) -> list[Rates]:
    """Rows by task, mind and model; nobody who was never there."""
    found: dict[tuple[str, str, str], Rates] = {}
    for one in known:
        outcome = one.trial.outcome
        models = outcome.made_of.get("models")
        npc = str(models.get("npc") or "") if isinstance(models, dict) else ""
        here: set[tuple[str, str, str]] = set()
        at_fault: set[tuple[str, str, str]] = set()
        for name, row in outcome.colleagues.items():
            mind = str(row.get("mind") or _mind_of(outcome.made_of.get("minds"), name))
            key = (outcome.task, MINDS.get(mind, mind), npc if mind == "llm" else "")
            rates = found.setdefault(key, Rates(*key))
            here.add(key)
            rates.sheets = rates.sheets or row.get("sheet") is True
            for count in COUNTED:
                rates.counts[count] = rates.counts.get(count, 0) + int(row.get(count, 0))
            own = sum(fault.get("colleague") == name for fault in outcome.colleague_fault)
            rates.faults += own
            if own:
                at_fault.add(key)
        for key in here:
            found[key].trials += 1
            found[key].trials_with_faults += key in at_fault
    return [found[key] for key in sorted(found)]


def _mind_of(minds: object, name: str) -> str:
    return str(minds.get(name) or "") if isinstance(minds, dict) else ""


def with_and_without(known: Sequence[Known]) -> list[Standing]:
    """For each entrant; empty where no colleague was at fault in any trial."""
    if not any(one.trial.outcome.colleague_fault for one in known):
        return []
    entrants: dict[str, list[Known]] = {}
    for one in known:
        entrants.setdefault(one.entrant, []).append(one)
    return [
        Standing(
            name,
            group("all trials", members),
            group("without colleagues' faults", [one for one in members if not one.trial.outcome.colleague_fault]),
        )
        for name, members in sorted(entrants.items())
    ]
