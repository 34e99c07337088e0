"""Trials grouped by what they share (agent, task, role, service …), each group with its rate, score and intervals.

Faults are counted apart: a trial without a score moves no mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from dayjob.report.intervals import Interval, mean_interval, rate_interval
from dayjob.report.trial_facts import Known
from dayjob.trial.outcome import Label

T = TypeVar("T")
UNSAID = "(not said)"
MOST_REASONS = 5  # of one checkpoint and entrant: beyond these they are single trials' stories

DIMENSIONS: dict[str, Callable[[Known], Iterable[str]]] = {
    "agent": lambda one: (one.entrant,),
    "task": lambda one: (one.trial.outcome.task,),
    "role": lambda one: (one.traits.role,),
    "service": lambda one: one.traits.services,
    "difficulty": lambda one: (one.traits.difficulty,),
    "tag": lambda one: one.traits.tags,
}


@dataclass(frozen=True, slots=True)
class Group:
    """What the trials that share `name` come to. None where nothing was scored or nothing is known."""

    name: str
    tasks: int
    trials: int
    scored: int
    resolved: float | None
    resolved_interval: Interval | None
    partial: float | None
    partial_interval: Interval | None
    faults: dict[str, int]
    seconds: float | None
    """Mean time of a scored trial; likewise below."""
    steps: float | None
    tokens: float | None
    cost: float | None
    total_cost: float | None
    """Of every trial, faults included, colleagues and judges too: it was paid."""


def attempts_by_task(known: Sequence[Known], value: Callable[[Known], T | None]) -> list[list[T]]:
    """One list of values for each task, in the order tasks first appear."""
    found: dict[str, list[T]] = {}
    for one in known:
        if (each := value(one)) is not None:
            found.setdefault(one.trial.outcome.task, []).append(each)
    return list(found.values())


def resolved_by_task(known: Sequence[Known]) -> list[list[bool]]:
    return attempts_by_task(
        known, lambda one: one.trial.outcome.label is Label.RESOLVED if one.trial.outcome.scored else None
    )


def scores_by_task(known: Sequence[Known]) -> list[list[float]]:
    return attempts_by_task(known, lambda one: one.trial.outcome.score)


def group(name: str, known: Sequence[Known]) -> Group:
    scored = [one for one in known if one.trial.outcome.scored]
    scores = [score for one in scored if (score := one.trial.outcome.score) is not None]
    costs = [cost for one in known for cost in (one.effort.cost, one.effort.others_cost) if cost is not None]
    return Group(
        name=name,
        tasks=len({one.trial.outcome.task for one in known}),
        trials=len(known),
        scored=len(scored),
        resolved=_mean([float(one.trial.outcome.label is Label.RESOLVED) for one in scored]),
        resolved_interval=rate_interval(resolved_by_task(known)),
        partial=_mean(scores),
        partial_interval=mean_interval(scores_by_task(known)),
        faults=dict(Counter(str(one.trial.outcome.label) for one in known if not one.trial.outcome.scored)),
        seconds=_mean([one.trial.outcome.timings.get("all") for one in scored]),
        steps=_mean([one.effort.steps for one in scored]),
        tokens=_mean([one.effort.tokens for one in scored]),
        cost=_mean([one.effort.cost for one in scored]),
        total_cost=sum(costs) if costs else None,
    )


def breakdown(known: Sequence[Known]) -> dict[str, list[Group]]:
    """Every dimension with its groups by name; a dimension nobody knows anything about is left out.

    Entrants are never mixed: with more than one, each has its own row in every group.
    """
    several = len({one.entrant for one in known}) > 1
    found = {}
    for dimension, names in DIMENSIONS.items():
        members: dict[tuple[str, str], list[Known]] = {}
        for one in known:
            entrant = one.entrant if several and dimension != "agent" else ""
            for name in names(one):
                members.setdefault((name, entrant), []).append(one)
        if any(name for name, _ in members):  # an empty name: the task does not say
            found[dimension] = [
                group((name or UNSAID) + (f" · {entrant}" if entrant else ""), members[name, entrant])
                for name, entrant in sorted(members)
            ]
    return found


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """How often one entrant met one checkpoint of one task, over scored trials."""

    task: str
    entrant: str
    number: int
    meaning: str
    trials: int
    points: int
    share: float
    """Points given of those to be had."""
    full: float
    """Trials with all its points."""
    full_interval: Interval | None
    kept_back: list[tuple[str, int]] = field(default_factory=list)
    """The reasons given where points were kept back, with the number of trials, the most frequent first."""


def checkpoints(known: Sequence[Known]) -> list[CheckpointRow]:
    found: dict[tuple[str, str, int], list[Known]] = {}
    for one in known:
        if one.trial.outcome.scored:
            for number in range(len(one.trial.outcome.checkpoints)):
                found.setdefault((one.trial.outcome.task, one.entrant, number), []).append(one)
    rows = []
    for (task, entrant, number), members in sorted(found.items()):
        marks = [one.trial.outcome.checkpoints[number] for one in members]
        most = sum(mark["total"] for mark in marks)
        full = [mark["result"] == mark["total"] for mark in marks]
        meanings = members[-1].traits.meanings
        as_many = len(meanings) == len(members[-1].trial.outcome.checkpoints)
        rows.append(
            CheckpointRow(
                task,
                entrant,
                number + 1,
                meanings[number] if as_many else "",
                len(marks),
                marks[-1]["total"],
                sum(mark["result"] for mark in marks) / most if most else 0.0,
                sum(full) / len(full),
                rate_interval([full]),
                Counter(
                    mark["reason"] for mark in marks if mark["result"] < mark["total"] and mark.get("reason")
                ).most_common(MOST_REASONS),
            )
        )
    return rows


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
