"""One row a trial, for a spreadsheet. A cell that a spreadsheet would run as a formula is made plain text."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from dayjob.report.report_data import ReportData, trial_row


def as_csv(found: ReportData) -> str:
    out = io.StringIO()
    rows = [trial_row(one) for one in found.trials]
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return out.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        value = " ".join(value)
    elif isinstance(value, list | dict):
        value = json.dumps(value, separators=(",", ":"))
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value
