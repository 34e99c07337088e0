"""`dayjob test`: prove tasks. Exit 0 when every claim holds, 1 when one does not, 2 when there was nothing to prove."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dayjob import owned
from dayjob.cli.completion import task_names, worlds
from dayjob.cli.folders import fail, ready_or_fail, task_folders
from dayjob.cli.variants import made_folder, numbers_for, variants_option

if TYPE_CHECKING:
    from dayjob.trial.outcome import Outcome
    from dayjob.trial.proof import Claim
    from dayjob.trial.spec import TrialSpec

_A_SCREEN = 30  # claims: of more, those that do not hold are said once more at the end


@click.command(epilog="Example: dayjob test tasks/example")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), shell_complete=task_names)
@click.option("-n", "--parallel", default=2, show_default=True, type=click.IntRange(1), help="Trials at a time.")
@click.option("--world", shell_complete=worlds, help="Another world than the tasks' own: a name or a folder.")
@click.option("--sandbox", "sandboxes", multiple=True, default=("embedded",), help="embedded, docker; may be repeated.")
@click.option("--times", default=1, show_default=True, type=click.IntRange(1), help="Prove everything this many times.")
@click.option("--clock", type=click.Choice(["running", "stepped"]), help="Another company clock than the tasks' own.")
@click.option(
    "--paraphrases",
    type=click.Choice(["all", "none", "tenth"]),
    default="all",
    show_default=True,
    help="Answers in other words: all, none, or a tenth of them, another one each day.",
)
@click.option("--npc-model", help="The colleagues' model: provider/model, script:FILE, or script:obedient.")
@click.option(
    "--minds",
    type=click.Choice(["script", "both"]),
    help="both: solution and mutants once more with colleagues by a model (script:obedient unless --npc-model).",
)
@click.option("--judge-model", help="The model evaluators ask: provider/model, or script:FILE.")
@variants_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Keep the evidence here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per claim.")
def test(
    paths: tuple[Path, ...],
    parallel: int,
    world: str | None,
    sandboxes: tuple[str, ...],
    times: int,
    clock: str | None,
    paraphrases: str,
    npc_model: str | None,
    minds: str | None,
    judge_model: str | None,
    variants: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Prove tasks: oracle full; nop, echo, clicker zero; every mutant caught; graded twice alike; no secret seen;
    right answers in other words full, near misses less; nothing in the company contradicts the key."""
    from dayjob.cli.other_words import prove_in_other_words
    from dayjob.llm.settings import OBEDIENT
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task import Task, TaskError
    from dayjob.task.family import is_family
    from dayjob.trial.local_driver import Stop, run_trials
    from dayjob.trial.proof import UNDELIVERED, claims, claims_of_variants

    if minds == "script" and npc_model is not None:
        raise click.UsageError("--minds script takes no --npc-model: leave one of them out, or say --minds both.")
    if minds is not None:
        _scripts_only()
    second_mind = (npc_model or OBEDIENT) if minds == "both" else None
    tasks = task_folders(paths)
    numbers = {task.resolve(): asked for task, asked in numbers_for(tasks, None, variants).items()}
    with tempfile.TemporaryDirectory(prefix=owned.prefix("test")) as temporary:
        place = out or Path(temporary)
        try:
            found = [
                claim
                for path in tasks
                for sandbox in sandboxes
                for round in range(1, times + 1)
                for claim in claims(
                    Task.load(made_folder(path, sandbox)),
                    place,
                    world=world,
                    sandbox=sandbox,
                    npc_model=npc_model if minds is None else None,
                    second_mind=second_mind,
                    judge_model=judge_model,
                    round=round,
                    clock=clock,
                    paraphrases=paraphrases != "none" and round == 1,
                    family=path if is_family(path) else None,
                )
            ]
            found += claims_of_variants(found, numbers)
            ready_or_fail([claim.spec for claim in found if claim.spec.agent == "nop" or claim.spec.npc_model])
            told = _Told(found, as_json)
            keys = _tell_keys(told, [claim.spec for claim in found if claim.spec.agent == "nop"])
            run_trials([claim.spec for claim in found], parallel=parallel, on_outcome=told.hear, stop=Stop())
            in_other_words = prove_in_other_words(
                [
                    claim.spec
                    for claim in found
                    if claim.spec.agent == UNDELIVERED and claim.spec.out not in told.failed
                ],
                paraphrases,
                parallel=parallel,
                tell=told.tell,
            )
        except (TaskError, SandboxError, OSError) as error:
            fail(str(error))
    if not as_json:
        for line in told.refuted if len(found) > _A_SCREEN else ():
            click.echo(line)
        hint = "" if out or not told.refuted else " Keep the evidence with -o DIR."
        total = len(found) + in_other_words + keys
        click.echo(f"{total - len(told.refuted)} of {total} claims hold.{hint}")
    sys.exit(1 if told.refuted else 0)


def _scripts_only() -> None:
    """Stop where settings name a model for colleagues, so that no script would be tried."""
    from dayjob.llm.settings import SettingsError
    from dayjob.trial.readiness import settings_for
    from dayjob.trial.spec import TrialSpec

    try:
        named = settings_for(TrialSpec("", "nop", "")).roles.get("npc")
    except SettingsError as error:
        fail(str(error))
    if named is not None:
        fail(f"The settings name a model for colleagues ({named.shown}): take it away to try --minds.")


def _tell_keys(told: _Told, specs: Sequence[TrialSpec]) -> int:
    """Say of each task and variant whether the company agrees with its key; returns how many have one.

    A family's key.yml that is no template is that of the canonical variant.
    """
    from dayjob.task import Task
    from dayjob.task.key import FILE
    from dayjob.trial.contradictions import contradictions
    from dayjob.trial.variants import make_here

    number, known = 0, set[Path]()
    for spec in specs:
        (folder,) = make_here([spec])
        if folder in known or (spec.variant and Path(spec.task, FILE).exists()):
            continue  # another round or sandbox; or another variant
        known.add(folder)
        task = Task.load(folder)
        values, unsettled = contradictions(task, spec.world)
        if values:
            number += 1
            told.tell_key(task.name, spec.variant, values, unsettled)
    return number


class _Told:
    """Says of each claim whether it holds, in their order, as soon as it is known of all before it."""

    def __init__(self, claims: Sequence[Claim], as_json: bool) -> None:
        self.refuted: list[str] = []
        self.failed: set[str] = set()
        """The folders of the trials whose claims do not hold."""
        self._left = deque(claims)
        self._as_json = as_json
        self._heard: dict[str, Outcome] = {}

    def hear(self, spec: TrialSpec, outcome: Outcome) -> None:
        self._heard[spec.out] = outcome
        while self._left and self._left[0].spec.out in self._heard:
            claim = self._left.popleft()
            self._say(claim, self._heard.pop(claim.spec.out))

    def _say(self, claim: Claim, outcome: Outcome) -> None:
        why = claim.verdict(outcome)
        if why is not None:
            self.failed.add(claim.spec.out)
        self.tell(outcome.task, claim.sentence, why, {"outcome": json.loads(outcome.to_json())})

    def tell_key(self, task: str, variant: int | None, values: int, unsettled: Sequence[str]) -> None:
        """Say whether all that the company says about a key's values is marked."""
        which = f"variant {variant}: " if variant else ""
        what = "what the key rests on is" if values == 1 else f"the {values} things the key rests on are"
        why = "".join(f"\n    {line}" for line in unsettled) or None
        self.tell(task, f"{which}{what} contradicted nowhere in the company", why, {"unsettled": list(unsettled)})

    def tell(self, task: str, sentence: str, why: str | None, more: dict[str, Any]) -> None:
        """Say whether a claim holds; `more` is for programs."""
        sign = click.style("✓", fg="green") if why is None else click.style("✗", fg="red")
        line = f"{sign} {task}: {sentence}" + (f": {why}" if why else "")
        if why is not None:
            self.refuted.append(line)
        if self._as_json:
            line = json.dumps({"task": task, "claim": sentence, "holds": why is None, "why": why, **more})
        click.echo(line)
