"""The report as one page that needs nothing else: tables and SVG plots, no script, no request, light and dark."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dayjob.report.formats import plots
from dayjob.report.report_data import ReportData
from dayjob.report.tables import headline, methods, tables

# More rows than this make a picture nobody can read.
MOST_ROWS = 60


def html(found: ReportData) -> str:
    templates = Environment(
        loader=PackageLoader("dayjob.report.formats", "templates"), autoescape=True, undefined=StrictUndefined
    )
    return templates.get_template("report.html").render(
        headline=headline(found),
        methods=methods(found),
        tables=list(tables(found)),
        pictures=list(_pictures(found)),
        folders=found.folders,
    )


def _pictures(found: ReportData) -> Iterator[tuple[str, Markup]]:
    """Titles and drawings; `plots` escapes every name it draws, so its text is markup."""
    if found.comparison is not None and 0 < len(found.comparison.differences[0].pairs) <= MOST_ROWS:
        title = "Difference in partial score, task by task"
        yield title, Markup(plots.differences(title, found.comparison.differences[0].pairs))
    for dimension, groups in found.by.items():
        drawn = [one for one in groups if one.partial is not None]
        if 0 < len(drawn) <= MOST_ROWS and (len(drawn) > 1 or dimension == "agent"):
            title = f"By {dimension}: partial score with its interval (dot), resolved rate (ring)"
            yield title, Markup(plots.dots(title, drawn))
    for entrant, rows in found.repeats.items():
        if len(rows) > 1:
            title = f"Repeated attempts: {entrant}"
            yield title, Markup(plots.curves(title, rows))
