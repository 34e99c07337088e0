"""The report as Markdown, for a pull request or a page: tables any renderer knows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dayjob.report.report_data import ReportData
from dayjob.report.tables import headline, methods, tables

_SPECIAL = re.compile(r"([\\`*_\[\]<>|&#~])")


def markdown(found: ReportData) -> str:
    return "\n".join(_lines(found)) + "\n"


def _lines(found: ReportData) -> Iterator[str]:
    yield "# Report"
    yield ""
    yield _plain(headline(found))
    if how := methods(found):
        yield ""
        yield _plain(how)
    for table in tables(found):
        yield ""
        yield f"## {_plain(table.title)}"
        yield ""
        yield "| " + " | ".join(map(_plain, table.columns)) + " |"
        yield "| " + " | ".join("---:" if at in table.numbers else "---" for at in range(len(table.columns))) + " |"
        for row in table.rows:
            yield "| " + " | ".join(map(_plain, row)) + " |"
        if table.note:
            yield ""
            yield _plain(table.note)


def _plain(text: str) -> str:
    """A name or a reason comes from evidence: it stands for itself, not for markup."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
