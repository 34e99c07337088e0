"""How jobs and pipelines go on: pure rules over what state each job is in.

A pipeline's state is put together from its jobs', and so is the state of everything a job waits for: all jobs of
earlier stages, or those it names under `needs`. When that has ended, `when` says whether the job goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

COMPLETED = frozenset({"success", "failed", "canceled", "skipped"})
STOPPED = COMPLETED | {"manual"}
"""A pipeline in one of these waits for nobody's work."""
ALIVE = frozenset({"created", "waiting_for_resource", "preparing", "pending", "running", "canceling"})
CANCELABLE = (ALIVE | {"scheduled"}) - {"canceling"}
RETRYABLE = frozenset({"success", "failed", "canceled"})
PLAYABLE = frozenset({"manual", "scheduled"})
_GOES_ON_AFTER = {
    "on_success": frozenset({"success", "skipped"}),
    "manual": frozenset({"success", "skipped"}),
    "delayed": frozenset({"success", "skipped"}),
    "on_failure": frozenset({"failed"}),
    "always": frozenset({"success", "failed", "skipped"}),
}
_BEGINS_AS = {"manual": "manual", "delayed": "scheduled"}


@dataclass(frozen=True, slots=True)
class Step:
    """A job as far as the order of jobs is concerned. `needs` are names; None waits for all earlier stages."""

    name: str
    stage: int
    status: str
    when: str = "on_success"
    allow_failure: bool = False
    needs: tuple[str, ...] | None = None


def composed(jobs: Iterable[tuple[str, bool]], *, needed: bool = False) -> str | None:
    """The state that jobs make together, each given as (state, may it fail); None for no jobs at all.

    `needed` are the jobs that one job names under `needs`: it runs when all of them have run, and not otherwise.
    """
    found = {_counted(status, allowed) for status, allowed in jobs}
    if not found:
        return None
    if needed:
        if found & {"skipped", "ignored"}:
            return "skipped"
        if not found <= {"success", "failed", "canceled", "skipped", "warning"}:
            return "pending"
    for together, status in (
        ({"skipped", "ignored"}, "skipped"),
        ({"success", "skipped", "warning", "ignored"}, "success"),
        ({"created", "warning", "ignored"}, "created"),
        ({"preparing", "warning", "ignored"}, "preparing"),
        ({"canceled", "success", "skipped", "warning", "ignored"}, "canceled"),
        ({"pending", "created", "skipped", "warning", "ignored"}, "pending"),
    ):
        if found <= together:
            return status
    if found & {"running", "pending"}:
        return "running"
    for status in ("waiting_for_resource", "canceling", "manual", "scheduled", "preparing"):
        if status in found:
            return status
    return "running" if "created" in found else "failed"


def _counted(status: str, allow_failure: bool) -> str:
    if allow_failure and status in ("failed", "canceled"):
        return "warning"
    return "ignored" if allow_failure and status == "manual" else status


def has_warnings(jobs: Iterable[tuple[str, bool]]) -> bool:
    return any(_counted(status, allowed) == "warning" for status, allowed in jobs)


def before(step: Step, steps: Sequence[Step]) -> str:
    """The state of everything the job waits for."""
    if step.needs is None:
        earlier = [(one.status, one.allow_failure) for one in steps if one.stage < step.stage]
        return composed(earlier) or "success"
    wanted = set(step.needs)
    named = [(one.status, one.allow_failure) for one in steps if one.name in wanted]
    return composed(named, needed=True) or "success"


def goes_on_as(step: Step, earlier: str) -> str | None:
    """What becomes of a job that has not begun: another state, or None while it has to wait."""
    if earlier not in COMPLETED:
        return None
    after = _GOES_ON_AFTER.get(step.when, frozenset())
    if step.needs is not None and step.when == "on_success":
        after = frozenset({"success"})
    if earlier not in after:
        return "skipped"
    return _BEGINS_AS.get(step.when, "pending")


def moves(steps: Sequence[Step]) -> dict[str, str]:
    """Every job that goes on now, with its new state. A skipped job may let others go on, so this looks until none
    does."""
    now = {step.name: step for step in steps}
    changed: dict[str, str] = {}
    while True:
        moved = False
        current = list(now.values())
        for step in current:
            if step.status != "created":
                continue
            status = goes_on_as(step, before(step, current))
            if status is not None:
                now[step.name] = replace(step, status=status)
                changed[step.name] = status
                moved = True
        if not moved:
            return changed


def dependants(name: str, steps: Sequence[Step]) -> set[str]:
    """The jobs that wait for a job, directly or through others."""
    by_name: Mapping[str, Step] = {step.name: step for step in steps}
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = by_name[waiting.pop()]
        for step in steps:
            waits = step.stage > current.stage if step.needs is None else current.name in step.needs
            if waits and step.name not in found and step.name != name:
                found.add(step.name)
                waiting.append(step.name)
    return found
