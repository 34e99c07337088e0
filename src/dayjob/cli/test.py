"""`dayjob test`: prove tasks. Exit 0 when every claim holds, 1 when one does not, 2 when there was nothing to prove."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

import click

from dayjob import owned
from dayjob.cli.folders import fail, task_folders


@click.command(epilog="Example: dayjob test tasks/example")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-n", "--parallel", default=2, show_default=True, type=click.IntRange(1), help="Trials at a time.")
@click.option("--world", help="Another world than the tasks' own: a name or a folder.")
@click.option("--sandbox", "sandboxes", multiple=True, default=("embedded",), help="embedded, docker; may be repeated.")
@click.option("--times", default=1, show_default=True, type=click.IntRange(1), help="Prove everything this many times.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Keep the evidence here.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per claim.")
def test(
    paths: tuple[Path, ...],
    parallel: int,
    world: str | None,
    sandboxes: tuple[str, ...],
    times: int,
    out: Path | None,
    as_json: bool,
) -> None:
    """Prove tasks: oracle full; nop, echo, clicker zero; every mutant caught; graded twice alike; no secret seen."""
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task import Task, TaskError
    from dayjob.trial.local import run_trials
    from dayjob.trial.proof import claims

    with tempfile.TemporaryDirectory(prefix=owned.prefix("test")) as temporary:
        place = out or Path(temporary)
        try:
            found = [
                claim
                for path in task_folders(paths)
                for sandbox in sandboxes
                for round in range(1, times + 1)
                for claim in claims(Task.load(path), place, world=world, sandbox=sandbox, round=round)
            ]
            outcomes = run_trials([claim.spec for claim in found], parallel=parallel)
        except (TaskError, SandboxError, OSError) as error:
            fail(str(error))
        refuted = 0
        for claim, outcome in zip(found, outcomes, strict=True):
            why = claim.verdict(outcome)
            refuted += why is not None
            if as_json:
                row = {"task": outcome.task, "claim": claim.sentence, "holds": why is None, "why": why}
                click.echo(json.dumps({**row, "outcome": json.loads(outcome.to_json())}))
            elif why is None:
                click.echo(f"{click.style('✓', fg='green')} {outcome.task}: {claim.sentence}")
            else:
                click.echo(f"{click.style('✗', fg='red')} {outcome.task}: {claim.sentence}: {why}")
    if not as_json:
        proven = len(found) - refuted
        hint = "" if out or not refuted else " Keep the evidence with -o DIR."
        click.echo(f"{proven} of {len(found)} claims hold.{hint}")
    sys.exit(1 if refuted else 0)
