"""`dayjob report`: what the trials of a run add up to. Exit 2 when there are none."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click


@click.command(epilog="Example: dayjob report runs/first --json")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The summary and every outcome as JSON.")
def report(folders: tuple[Path, ...], as_json: bool) -> None:
    """Show the outcomes of runs and their summary; a single trial is told in full."""
    from dayjob.report.results import NoResults, load_trials
    from dayjob.report.summary import summarise
    from dayjob.report.text import COLOURS, line, summary_lines

    try:
        trials = [trial for folder in folders for trial in load_trials(folder)]
    except NoResults as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    outcomes = [trial.outcome for trial in trials]
    summary = summarise(outcomes)
    if as_json:
        rows = [{**json.loads(trial.outcome.to_json()), "folder": str(trial.folder)} for trial in trials]
        click.echo(json.dumps({"summary": summary.as_dict(), "trials": rows}, indent=1))
        return
    if len(trials) == 1:
        from rich.console import Console

        from dayjob.report.story import tell

        tell(Console(), trials[0])
        return
    for outcome in outcomes:
        click.secho(line(outcome), fg=COLOURS.get(outcome.label, "magenta"))
    click.echo()
    for text in summary_lines(summary):
        click.echo(text)
