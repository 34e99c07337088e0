"""`dayjob export`: a run in another format. Exit 1: a trajectory breaks its format; 2: there is nothing to export."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from dayjob.cli.folders import fail


@click.command(epilog="Example: dayjob export atif runs/first -o trajectories")
@click.argument("form", metavar="FORMAT", type=click.Choice(("tac", "atif", "jsonl")))
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="A folder; for jsonl, a file.")
@click.option("--json", "as_json", is_flag=True, help="What was written and what was not, as JSON.")
def export(form: str, folders: tuple[Path, ...], out: Path, as_json: bool) -> None:
    """Write runs as TAC's submission layout (tac), checked trajectories (atif) or flat rows (jsonl)."""
    from dayjob.report.export.export import FORMATS
    from dayjob.report.results import NoResults

    try:
        found = FORMATS[form](folders, out)
    except NoResults as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or out} cannot be written: {error.strerror}")
    if as_json:
        written = [str(path) for path in found.written]
        click.echo(json.dumps({"written": written, "left_out": found.left_out, "problems": found.problems}, indent=1))
    else:
        for sentence in (*found.problems, *(f"Left out: {one}" for one in found.left_out)):
            click.echo(sentence, err=True)
        click.echo(f"{len(found.written)} file{'' if len(found.written) == 1 else 's'} written to {out}")
    sys.exit(1 if found.problems else 0)
