"""`dayjob resume`: go on with a run. Exit 0: every trial is scored; 1: one is not; 2: there is no run to go on with."""

from __future__ import annotations

from pathlib import Path

import click

from dayjob.cli.conduct import PARALLEL, RunOptions, conduct, run_options
from dayjob.cli.variants import have_variants, key_option

UNSCORED = ("init_error", "grader_error")


@click.command(epilog="Example: dayjob resume runs/first -n 8")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--again", multiple=True, type=click.Choice(UNSCORED), help="Also try again what ended with this label.")
@click.option("-n", "--parallel", type=click.IntRange(1), help=PARALLEL)
@key_option
@run_options
def resume(folder: Path, again: tuple[str, ...], variant_key: Path | None, options: RunOptions) -> None:
    """Run the trials of a run that have no scored outcome and may still get one."""
    from dayjob.trial.outcome import Label
    from dayjob.trial.run_folder import reopen_run

    if variant_key is not None:
        have_variants(folder, variant_key)
    conduct(reopen_run(folder), options, [Label(one) for one in again], resumed=True)
