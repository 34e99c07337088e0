"""A grader's way out: the hosts its task or its run allows, and what it means when it wanted one and had none.

Which hosts an examinee's work makes a grader ask for is the examinee's to choose, so a refusal by itself is no fault.
It is one where the evaluator's own text reaches for the internet and nobody has given it a way there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dayjob.task import Task, TaskError
from dayjob.task.evaluator import Evaluator
from dayjob.task.networking import outside_calls
from dayjob.task.reading import parse_python, read_text
from dayjob.task.rules import Rule
from dayjob.trial.egress import PORT, Policy, policy_of
from dayjob.trial.spec import TrialSpec

_EVALUATOR = "evaluator.py"


@dataclass(frozen=True, slots=True)
class GraderNetwork:
    """The hosts that graders may reach, and the first thing in the evaluator that needs any."""

    policy: Policy = field(default_factory=Policy)
    needed_by: str = ""

    def __bool__(self) -> bool:
        """Whether the grader's room has the proxy: to get out by, or to have it known that somebody wanted to."""
        return bool(self.policy) or bool(self.needed_by)

    def faults(self, seen: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What was asked for by an evaluator that needs the internet and has no way there."""
        hosts = list(dict.fromkeys(str(one["host"]) for one in seen if not one["allowed"]))
        if self.policy or not self.needed_by or not hosts:
            return []
        sentence = (
            f"{_EVALUATOR} has {self.needed_by}, which asked for {', '.join(hosts[:5])}, and graders have no way out; "
            "allow it with --grader-egress, or with egress under [grading] in task.toml"
        )
        return [{"label": "no_network", "sentence": sentence}]


def with_graders_way_out(task: Task, spec: TrialSpec) -> Task:
    """The task with the way out for graders that the run asks for, if it does."""
    if spec.grader_egress is None:
        return task
    grading = replace(task.settings.grading, egress=spec.graders_way_out)
    return replace(task, settings=replace(task.settings, grading=grading))


def way_out(task: Task) -> int:
    """The port by which programs in a task's rooms go out, or 0 where none may."""
    return PORT if task.settings.egress or task.settings.grading.egress else 0


def network_of(task: Task) -> GraderNetwork:
    """What a task says its graders may reach, and what its evaluator's text reaches for."""
    try:
        tree = parse_python(read_text(task.path, _EVALUATOR), _EVALUATOR, Rule.EVALUATOR_SYNTAX)
        needed = outside_calls(Evaluator(tree))
    except TaskError:
        needed = []  # for a newer Python than ours
    return GraderNetwork(policy_of(task.settings.grading.egress), needed[0].name if needed else "")
