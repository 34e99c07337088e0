"""`dayjob report`: what the trials of runs come to, in five formats. Exit 2 when there are none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayjob.cli.folders import fail

if TYPE_CHECKING:
    from dayjob.report.report_data import ReportData

FORMATS = ("text", "markdown", "json", "csv", "html")


@click.command(epilog="Example: dayjob report runs/before runs/after --compare --format html -o difference.html")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--compare", is_flag=True, help="The second of two runs against the first, paired by task.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(FORMATS))
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write to this file (default: standard output).")
def report(folders: tuple[Path, ...], compare: bool, form: str, as_json: bool, out: Path | None) -> None:
    """Rates and scores with confidence intervals, faults apart; a single trial is told in full."""
    from dayjob.report.report_data import report_data
    from dayjob.report.results import NoResults

    if compare and len(folders) != 2:
        fail("--compare takes exactly two folders: the run to compare with, then the run to compare")
    try:
        found = report_data(folders, comparing=compare)
    except NoResults as error:
        fail(str(error))
    form = "json" if as_json else form
    if form == "text":
        from rich.console import Console

        from dayjob.report.formats.terminal import print_report
        from dayjob.report.story import tell

        target = out.open("w", encoding="utf-8") if out else None
        stream = target or sys.stdout
        # Off a terminal there is no width to fit: tables stay whole for whoever reads the file.
        console = Console(file=stream, width=None if stream.isatty() else 160)
        if len(found.trials) == 1:
            tell(console, found.trials[0].trial)
        else:
            print_report(console, found)
        if target is not None:
            target.close()
        return
    text = _written(form, found)
    if out is None:
        click.echo(text, nl=False)
        return
    from dayjob.whole_files import write_whole

    try:
        write_whole(out, text.encode("utf-8", "replace"), mode=0o644)
    except OSError as error:
        fail(f"{out} cannot be written: {error.strerror}")


def _written(form: str, found: ReportData) -> str:
    if form == "json":
        import json

        return json.dumps(found.as_dict(), indent=1, ensure_ascii=False) + "\n"
    if form == "csv":
        from dayjob.report.formats.csv import as_csv

        return as_csv(found)
    if form == "markdown":
        from dayjob.report.formats.markdown import markdown

        return markdown(found)
    from dayjob.report.formats.html import html

    return html(found)
