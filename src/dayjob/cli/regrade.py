"""`dayjob regrade`: grade kept work again. Exit 0: all of it is scored; 1: something is not; 2: there is no run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dayjob.cli.folders import fail, ready_or_fail
from dayjob.cli.variants import have_variants, key_option


@click.command(epilog="Example: dayjob regrade runs/first && dayjob report runs/first")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-n", "--parallel", default=2, show_default=True, type=click.IntRange(1), help="Trials at a time.")
@key_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object per trial.")
def regrade(folder: Path, parallel: int, variant_key: Path | None, as_json: bool) -> None:
    """Run the evaluators, as they are now, on the work a run has kept. No examinee works again."""
    import asyncio

    import uvloop

    from dayjob.report.text import COLOURS, line
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.trial.grading_archive import NotKept
    from dayjob.trial.outcome import Outcome
    from dayjob.trial.regrade import regrade as grade_again
    from dayjob.trial.run_folder import Opened, RunError, read_run
    from dayjob.trial.spec import TrialSpec
    from dayjob.trial.workshop import Workshop

    if variant_key is not None:
        have_variants(folder, variant_key)
    short = 0

    async def one(workshop: Workshop, spec: TrialSpec, before: Outcome) -> None:
        nonlocal short
        try:
            done = await grade_again(workshop, spec, before)
        except NotKept as reason:
            short += 1
            if as_json:
                click.echo(json.dumps({"folder": spec.out, "regraded": False, "why": str(reason)}))
            else:
                click.secho(f"{spec.name:32} not graded again: {reason}", fg="magenta")
            return
        short += not done.after.scored
        if as_json:
            facts = {"folder": spec.out, "regraded": True, "before": json.loads(done.before.to_json())}
            click.echo(json.dumps({**facts, "after": json.loads(done.after.to_json())}))
        else:
            was = f"  was {done.before.label.value} {done.before.result}/{done.before.total}"
            click.secho(line(done.after) + was, fg=COLOURS.get(done.after.label, "magenta"))

    async def everything(run: Opened) -> None:
        waiting = iter([(spec, found) for spec in run.specs if (found := run.outcome(spec)) is not None])
        async with Workshop() as workshop:

            async def hand() -> None:
                for spec, before in waiting:
                    await one(workshop, spec, before)

            async with asyncio.TaskGroup() as group:
                for _ in range(parallel):
                    group.create_task(hand())

    try:
        with read_run(folder) as run:
            ready_or_fail([spec for spec in run.specs if run.outcome(spec) is not None], agents=False)
            uvloop.run(everything(run))
    except BrokenPipeError:
        raise  # whoever read our output has gone: `main` knows what to do
    except (RunError, SandboxError, OSError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("Stopped. What was not graded again has its earlier outcome.")
    sys.exit(1 if short else 0)
