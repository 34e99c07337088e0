"""`dayjob shell`: sit the exam yourself, then be graded. Exit 0: full marks; 1: fewer; 2: it could not be held."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from dayjob.cli.completion import task_names, worlds
from dayjob.cli.folders import fail, ready_or_fail, task_folders
from dayjob.cli.variants import have_private, key_option, numbers_for, read_key, variant_option


@click.command(epilog="Example: dayjob shell tasks/example")
@click.argument("path", type=click.Path(path_type=Path), shell_complete=task_names)
@click.option("-m", "--model", help="A model for programs you start in the sandbox: provider/model, or script:FILE.")
@click.option("--npc-model", help="The colleagues' model; without one they follow their scripts.")
@click.option("--judge-model", help="The model evaluators ask; without one such a task stays ungraded.")
@click.option("--sandbox", default="embedded", show_default=True, type=click.Choice(("embedded", "docker")))
@click.option("--world", shell_complete=worlds, help="Another world than the task's own: a name or a folder.")
@click.option("--seconds", type=float, help="Another time limit to work than the task's own.")
@variant_option
@key_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The trial's folder (default: runs/ and the time).")
def shell(path: Path, variant: int | None, variant_key: Path | None, out: Path | None, **asked: Any) -> None:
    """Work on a task yourself: a terminal in the sandbox, the company's pages in your browser, then a grade."""
    from rich.console import Console

    from dayjob.report.story import tell_worth
    from dayjob.report.text import line
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task.reading import read_text
    from dayjob.trial.outcome import Label
    from dayjob.trial.spec import TrialSpec, trial_name
    from dayjob.trial.variants import found_folder
    from dayjob.trial.workshop import run_trial

    tasks = task_folders((path,))
    if len(tasks) != 1:
        fail(f"{path} holds {len(tasks)} tasks; name one.")
    folder = out or Path("runs", datetime.now(UTC).strftime("%Y%m%d-%H%M%S"))
    key = read_key(variant_key)
    (number,) = numbers_for(tasks, variant, None, key)[tasks[0]]
    set = key.fingerprint if key is not None else None
    spec = TrialSpec(
        task=str(tasks[0].resolve()),
        agent="human",
        out=str((folder / trial_name(tasks[0].resolve().name, "human", 1, number, set)).resolve()),
        variant=number,
        variant_set=set,
        **asked,
    )
    have_private([spec], key)
    ready_or_fail([spec])
    try:
        outcome = run_trial(spec)
    except (SandboxError, OSError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        fail("Stopped before it could be graded.")
    click.echo(f"\n{line(outcome)}")
    # Off a terminal there is no width to fit.
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 160)
    tell_worth(console, outcome, read_text(found_folder(spec) or tasks[0], "checkpoints.md"))
    click.echo(f"Everything is in {folder}. See it again: dayjob report {folder}")
    if not outcome.scored:
        sys.exit(2)
    sys.exit(0 if outcome.label is Label.RESOLVED else 1)
