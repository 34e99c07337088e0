"""The file that reports are made from, as a task carries it, is what its generator writes and what was invoiced."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tools.larkspur import customers, nightly

FILE = "tasks/revenue-counted-twice/world/drive/files/Engineering/Nightly/2026-03-09-nightly.sqlite"
COMMITTED = Path(__file__).parents[2] / FILE


def test_the_committed_file_is_what_the_generator_writes() -> None:
    assert COMMITTED.read_bytes() == nightly.database()


def test_a_months_invoices_add_up_to_its_fees_and_somebody_has_left_since() -> None:
    db = sqlite3.connect(f"file:{COMMITTED}?mode=ro", uri=True)
    for last in nightly.MONTHS:
        month = (f"{last:%Y-%m}",)
        (cents,) = db.execute("SELECT SUM(cents) FROM invoices WHERE substr(day, 1, 7) = ?", month).fetchone()
        assert cents == customers.revenue(last) * 100
        gone = (
            "SELECT COUNT(*) FROM invoices WHERE substr(day, 1, 7) = ? AND customer NOT IN (SELECT customer FROM sites)"
        )
        assert db.execute(gone, month).fetchone()[0] > 0
    db.close()
