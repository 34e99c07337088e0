"""A SQLite file from CSV files: one a table, the heading names its columns."""

import csv
import sqlite3
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(path, folder=ROOT / "sample"):
    """Make the database anew from a folder of CSV files."""
    Path(path).unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = ON")
    db.executescript((ROOT / "schema.sql").read_text(encoding="utf-8"))
    with db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall():
            load(db, table, Path(folder, f"{table}.csv"))
    return db


def load(db, table, path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        heading = next(rows)
        marks = ", ".join("?" for _ in heading)
        db.executemany(f"INSERT INTO {table} ({', '.join(heading)}) VALUES ({marks})", rows)
