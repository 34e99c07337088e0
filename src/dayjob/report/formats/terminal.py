"""The report on a terminal: a headline, then tables that fit its width."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from dayjob.report.report_data import ReportData
from dayjob.report.tables import headline, methods, tables
from dayjob.report.text import COLOURS, line

MOST_TRIALS = 40


def print_report(console: Console, found: ReportData) -> None:
    """Print it all; single trials only while they are few enough to read."""
    if len(found.trials) <= MOST_TRIALS:
        for one in found.trials:
            console.print(Text(line(one.trial.outcome), style=COLOURS.get(one.trial.outcome.label, "magenta")))
        console.print()
    console.print(Text(headline(found), style="bold"))
    if how := methods(found):
        console.print(Text(how, style="dim"))
    for table in tables(found):
        drawn = RichTable(title=Text(table.title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD)
        for place, column in enumerate(table.columns):
            drawn.add_column(Text(column), justify="right" if place in table.numbers else "left", overflow="fold")
        for row in table.rows:
            drawn.add_row(*(Text(cell) for cell in row))
        console.print()
        console.print(drawn)
        if table.note:
            console.print(Text(table.note, style="dim"))
