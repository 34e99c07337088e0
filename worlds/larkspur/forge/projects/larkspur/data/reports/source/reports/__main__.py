"""`python -m reports REPORT FILE --month MONTH` writes a report as CSV; `build FILE` makes the sample."""

import argparse
import csv
import sqlite3
import sys
from pathlib import Path

from reports.database import build
from reports.report import BadReport, names, run


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="reports", description="Reports as CSV.")
    parser.add_argument("report", help=f"build, {', '.join(names())}")
    parser.add_argument("file", help="the SQLite file")
    parser.add_argument("--month", default="", help="for example 2025-02")
    chosen = parser.parse_args(arguments)
    if chosen.report == "build":
        build(chosen.file).close()
        return 0
    try:
        if not Path(chosen.file).exists():
            raise BadReport(f"there is no file {chosen.file}")
        db = sqlite3.connect(chosen.file)
        try:
            heading, rows = run(db, chosen.report, chosen.month)
        finally:
            db.close()
    except (BadReport, sqlite3.DatabaseError) as error:
        print(f"reports: {error}", file=sys.stderr)
        return 1
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(heading)
    writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
