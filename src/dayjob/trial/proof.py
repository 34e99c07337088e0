"""Proving a task: its solution gets full marks, twice alike; doing nothing, echoing the task, clicking about get none;
each mutant gets the score its author expects; the sandbox holds nothing of the graders'; grading changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dayjob.agent.names import slug
from dayjob.task import Task
from dayjob.task.paraphrases import NAME as PARAPHRASES
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec

UNDELIVERED = "undelivered"


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that must hold, as a trial and what must come of it. `result` None means full marks."""

    sentence: str
    spec: TrialSpec
    result: int | None
    less: bool = False
    """Anything but full marks holds."""

    def verdict(self, outcome: Outcome) -> str | None:
        """Why the outcome refutes the claim; None when it holds."""
        if not outcome.scored:
            return f"{outcome.label.value}: {outcome.reason}"
        if self.less:
            if outcome.label is Label.RESOLVED:
                return f"got {outcome.result} of {outcome.total}: the answer is not among what is graded"
            if not outcome.stopped.endswith(" ended with 0"):
                return f"the solution failed{_told(outcome)}"
        elif self.result is None:
            if outcome.label is not Label.RESOLVED:
                return f"the solution got {outcome.result} of {outcome.total}{_told(outcome)}"
        elif outcome.result != self.result:
            return f"got {outcome.result} of {outcome.total}, and {self.result} was expected{_told(outcome)}"
        if outcome.raised:
            return f"a check failed by itself: {'; '.join(outcome.raised[:3])}"
        if outcome.touched:
            return f"grading changed the company: {'; '.join(outcome.touched[:3])}"
        return None


def _told(outcome: Outcome) -> str:
    """What explains a score that was not expected: how the script ended, what each check said, what it raised."""
    parts = [outcome.stopped] if outcome.stopped and not outcome.stopped.endswith(" ended with 0") else []
    for number, one in enumerate(outcome.checkpoints, 1):
        if one.get("reason"):
            parts.append(f"checkpoint {number}, {one['result']}/{one['total']}: {one['reason']}")
    parts += outcome.raised[:3]
    return "".join(f"\n    {part}" for part in parts)


def claims(
    task: Task,
    out: Path,
    *,
    world: str | None = None,
    sandbox: str = "embedded",
    judge_model: str | None = None,
    round: int = 1,
    clock: str | None = None,
    paraphrases: bool = False,
    family: Path | None = None,
    npc_model: str | None = None,
    second_mind: str | None = None,
) -> Sequence[Claim]:
    """What has to be tried to prove a task. Each round has a seed of its own: other ids, another way of clicking.

    With `paraphrases` there is a trial whose kept work answers in other words are delivered to, if the task has any.
    `family`: the folder that the task is the canonical variant of. `npc_model` plays the colleagues in all of it;
    `second_mind` is a model with which solution and mutants are tried once more, if there are colleagues.
    """

    def spec(agent: str, gradings: int = 1) -> TrialSpec:
        place = out / f"{task.name}.{slug(agent)}.{sandbox}.{round}"
        return TrialSpec(
            str((family or task.path).resolve()),
            agent,
            str(place.resolve()),
            sandbox=sandbox,
            world=world,
            attempt=round,
            seed=str(round - 1),
            gradings=gradings,
            npc_model=npc_model,
            judge_model=judge_model,
            clock=clock,
            variant=None if family is None else 0,
        )

    found = [
        Claim("the solution gets full marks, graded twice alike", spec("oracle", 2), None),
        Claim("doing nothing gets no marks", spec("nop"), 0),
        Claim("echoing the task gets no marks", spec("echo"), 0),
        Claim("clicking about gets no marks", spec("clicker"), 0),
        Claim("the sandbox holds nothing only graders may see", spec("searcher"), 0),
    ]
    for mutant in task.mutants:
        why = f" ({mutant.why})" if mutant.why else ""
        sentence = f"the mutant {mutant.name} gets {mutant.result}{why}"
        found.append(Claim(sentence, spec(f"mutant:{mutant.name}"), mutant.result))
    if second_mind is not None and task.scenarios:
        found += [_by_a_model(one, second_mind) for one in found if _works(one.spec.agent)]
    if paraphrases and task.paraphrases is not None:
        sentence = "all but delivering the answer gets less than full marks"
        found.append(Claim(sentence, spec(UNDELIVERED), None, less=True))
    return found


def _works(agent: str) -> bool:
    """Whether an agent does what a task's author wrote, and so may talk to colleagues."""
    return agent == "oracle" or agent.startswith("mutant:")


def _by_a_model(claim: Claim, model: str) -> Claim:
    """The same claim with colleagues played by a model: the marks must be the same."""
    spec = replace(claim.spec, npc_model=model, out=f"{claim.spec.out}.model", gradings=1)
    sentence = claim.sentence.removesuffix(", graded twice alike")
    return replace(claim, sentence=f"{sentence} (colleagues by a model)", spec=spec)


def claims_of_variants(canonical: Sequence[Claim], numbers: Mapping[Path, Sequence[int | None]]) -> list[Claim]:
    """Of every further variant that the solution solves it and doing nothing does not, as in the canonical one.

    Answers in other words are tried in it where they are a template: only then do they know its values.
    """
    found = []
    for claim in canonical:
        in_words = claim.spec.agent == UNDELIVERED and Path(claim.spec.task, f"{PARAPHRASES}.j2").exists()
        if claim.spec.variant is None or not (in_words or claim.spec.agent in ("oracle", "nop")):
            continue
        for number in numbers[Path(claim.spec.task)]:
            if number:
                spec = replace(claim.spec, variant=number, out=f"{claim.spec.out}.v{number}", gradings=1)
                sentence = claim.sentence.removesuffix(", graded twice alike")
                found.append(replace(claim, sentence=f"variant {number}: {sentence}", spec=spec))
    return sorted(found, key=lambda claim: (claim.spec.task, claim.spec.variant or 0))
