"""An index of trials in one SQLite file: made from the evidence, kept up to date with it, thrown away at no loss.

`refresh` looks for trials that are new, changed or gone. A trial is listed as soon as its outcome is read; its figures
and its words for the search follow in a second pass, so that ten thousand trials are on screen early.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.report.results import Trial
from dayjob.report.trial_facts import effort_of
from dayjob.report.viewer.found import (
    is_trial,
    limited,
    read_began,
    read_outcome,
    read_spec,
    seen_mark,
    trial_folders,
    words_of,
)
from dayjob.trial.outcome import EXHAUSTED, Label, Outcome

NAME = ".dayjob-index.sqlite"
VERSION = 4
LONGEST_REASON = 300
# A longer trajectory is opened by its pages, not read through for its sums.
LARGEST_READ = 16 * 1024 * 1024

_SCHEMA = f"""
PRAGMA user_version = {VERSION};
CREATE TABLE trials (
    id INTEGER PRIMARY KEY, run TEXT NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL UNIQUE, seen TEXT NOT NULL,
    told INTEGER NOT NULL DEFAULT 0, state TEXT NOT NULL, task TEXT NOT NULL, agent TEXT NOT NULL,
    entrant TEXT NOT NULL, attempt INTEGER NOT NULL, which TEXT NOT NULL, label TEXT NOT NULL, scored INTEGER NOT NULL,
    resolved INTEGER NOT NULL, exhausted INTEGER NOT NULL DEFAULT 0, score REAL, result INTEGER, total INTEGER,
    reason TEXT NOT NULL, seconds REAL, steps INTEGER, tokens INTEGER, cost REAL, began TEXT NOT NULL DEFAULT ''
);
CREATE INDEX trials_by_run ON trials (run, task, entrant, attempt);
CREATE INDEX trials_untold ON trials (told) WHERE told = 0;
CREATE TABLE marks (
    trial INTEGER NOT NULL, place INTEGER NOT NULL, result INTEGER NOT NULL, total INTEGER NOT NULL,
    reason TEXT NOT NULL, PRIMARY KEY (trial, place)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (text, tokenize = 'unicode61');
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A trial as lists show it. `state` is `ended`, or `running` while there is no outcome."""

    id: int
    run: str
    name: str
    folder: str
    state: str
    task: str
    agent: str
    entrant: str
    attempt: int
    which: str
    """Its attempt, and its variant in a family, as `Outcome.which` says it."""
    label: str
    scored: int
    resolved: int
    score: float | None
    result: int | None
    total: int | None
    reason: str
    seconds: float | None
    steps: int | None
    tokens: int | None
    cost: float | None
    began: str
    """By the host's clock, in ISO; empty where the evidence does not say."""

    @property
    def key(self) -> str:
        return f"{self.run}/{self.name}"


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as the first page lists it."""

    run: str
    trials: int
    tasks: int
    agents: str
    scored: int
    resolved: int
    score: float | None
    running: int
    faults: int
    exhausted: int
    cost: float | None
    began: str
    seconds: float | None
    """Of all its trials together."""


@dataclass(frozen=True, slots=True)
class Cell:
    """The attempts of one entrant at one task."""

    task: str
    entrant: str
    trials: int
    scored: int
    resolved: int
    score: float | None
    running: int
    run: str
    name: str
    """Of its first trial, where the cell leads."""


_COLUMNS = ", ".join(f"trials.{field.name}" for field in fields(Row))


class Index:
    """Trials below some folders. Reading and refreshing may happen on different threads."""

    def __init__(self, folders: Sequence[Path], place: Path | None = None) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self.place = place or index_place(self.folders)
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._writer = _open(self.place)
        self._reader = sqlite3.connect(self.place, check_same_thread=False)
        for db in (self._writer, self._reader):
            db.execute("PRAGMA trusted_schema = OFF")
        self._names = self._run_names()
        self.complete = False
        """Whether a whole refresh has been made."""

    def close(self) -> None:
        with self._writing, self._reading:
            self._writer.close()
            self._reader.close()

    # ---- keeping up ---------------------------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Bring the index up to date; returns whether anything was different."""
        with self._writing:
            db = self._writer
            known: dict[str, str] = dict(db.execute("SELECT folder, seen FROM trials"))
            gone, changed = set(known), 0
            for top in self.folders:
                for folder in trial_folders(top):
                    path = str(folder)
                    gone.discard(path)
                    seen = seen_mark(folder)
                    if known.get(path) != seen:
                        self._list(top, folder, seen)
                        changed += 1
                        if changed % 500 == 0:
                            db.commit()
            for path in gone:
                db.execute("DELETE FROM words WHERE rowid = (SELECT id FROM trials WHERE folder = ?)", (path,))
                db.execute("DELETE FROM marks WHERE trial = (SELECT id FROM trials WHERE folder = ?)", (path,))
                db.execute("DELETE FROM trials WHERE folder = ?", (path,))
            db.commit()
            told = self._tell()
            self.complete = True
            return bool(changed or gone or told)

    def _list(self, top: Path, folder: Path, seen: str) -> None:
        run = self._run(top, folder)
        values: dict[str, Any] = {"run": run, "name": folder.name, "folder": str(folder), "seen": seen, "told": 0}
        outcome = read_outcome(folder)
        if outcome is None:
            spec = read_spec(folder)
            values |= {"state": "running", "label": "running", "scored": 0, "resolved": 0, "reason": "", "told": 1}
            values |= {"task": Path(str(spec.get("task") or folder.name)).name, "agent": str(spec.get("agent") or "?")}
            values |= {
                "entrant": values["agent"],
                "attempt": spec.get("attempt") if isinstance(spec.get("attempt"), int) else 1,
            }
            values["which"] = f"#{values['attempt']}"
        else:
            models = outcome.made_of.get("models")
            model = str(models.get("examinee") or "") if isinstance(models, dict) else ""
            values |= {"state": "ended", "label": str(outcome.label), "scored": int(outcome.scored)}
            values |= {"task": outcome.task, "agent": outcome.agent, "attempt": outcome.attempt}
            values["which"] = outcome.which
            values |= {"entrant": f"{outcome.agent} · {model}" if model else outcome.agent, "reason": outcome.reason}
            values |= {"resolved": int(outcome.label is Label.RESOLVED), "score": outcome.score}
            values |= {"exhausted": int(outcome.ended == EXHAUSTED)}
            values |= {"result": outcome.result, "total": outcome.total, "seconds": outcome.timings.get("all")}
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        update = ", ".join(f"{name} = excluded.{name}" for name in values)
        self._writer.execute(
            f"INSERT INTO trials ({names}) VALUES ({marks}) ON CONFLICT (folder) DO UPDATE SET {update}",
            list(values.values()),
        )

    def _tell(self) -> int:
        """The second pass: figures, and words to be found by."""
        db = self._writer
        untold = db.execute("SELECT id, folder FROM trials WHERE told = 0 ORDER BY id").fetchall()
        for number, (identity, folder) in enumerate(untold, 1):
            outcome = read_outcome(Path(folder))
            if outcome is not None:
                self._figures(identity, Path(folder), outcome)
            db.execute("UPDATE trials SET told = 1 WHERE id = ?", (identity,))
            if number % 100 == 0:
                db.commit()
        db.commit()
        return len(untold)

    def _figures(self, identity: int, folder: Path, outcome: Outcome) -> None:
        db = self._writer
        effort = effort_of(Trial(folder, outcome), LARGEST_READ)
        entrant = f"{outcome.agent} · {effort.model}" if effort.model else outcome.agent
        db.execute(
            "UPDATE trials SET steps = ?, tokens = ?, cost = ?, entrant = ?, began = ? WHERE id = ?",
            (effort.steps, effort.tokens, effort.cost, entrant, read_began(folder), identity),
        )
        db.execute("DELETE FROM marks WHERE trial = ?", (identity,))
        db.executemany(
            "INSERT INTO marks VALUES (?, ?, ?, ?, ?)",
            [
                (identity, place, mark["result"], mark["total"], str(mark.get("reason") or "")[:LONGEST_REASON])
                for place, mark in enumerate(outcome.checkpoints, 1)
                if outcome.scored
            ],
        )
        text = "\n".join(limited(words_of(folder, outcome)))
        db.execute("DELETE FROM words WHERE rowid = ?", (identity,))
        db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (identity, text))

    def _run(self, top: Path, folder: Path) -> str:
        """The run a trial belongs to: the folder around it, named from the folder the viewer was given."""
        name = self._names[top]
        inside = folder.parent.relative_to(top).as_posix() if folder != top else "."
        return name if inside == "." else f"{name}~{inside.replace('/', '~')}"

    def _run_names(self) -> dict[Path, str]:
        found: dict[Path, str] = {}
        for folder in self.folders:
            name = (folder.parent if is_trial(folder) else folder).name or "root"
            while name in found.values():
                name += "+"
            found[folder] = name
        return found

    # ---- answers ------------------------------------------------------------------------------------------------

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of the index; for other files of the viewer, too."""
        with self._reading:
            return self._reader.execute(sql, values).fetchall()

    def version(self) -> str:
        """Another text whenever a list would look different."""
        found = self.ask("SELECT count(*), sum(told), max(id), count(DISTINCT seen) FROM trials")
        with self._reading:
            number = self._reader.execute("PRAGMA data_version").fetchone()[0]
        return hashlib.sha256(repr((found, number, self.complete)).encode()).hexdigest()[:16]

    def runs(self) -> list[RunRow]:
        return [
            RunRow(*row)
            for row in self.ask(
                "SELECT run, count(*), count(DISTINCT task), group_concat(DISTINCT entrant), sum(scored), "
                "sum(resolved), avg(CASE WHEN scored THEN score END), sum(state = 'running'), "
                "sum(state = 'ended' AND NOT scored), sum(exhausted), sum(cost), coalesce(min(nullif(began, '')), ''), "
                "sum(seconds) FROM trials GROUP BY run ORDER BY run"
            )
        ]

    def attempts(self, run: str) -> list[tuple[int, int]]:
        """For each task of a run, how many scored attempts it has and how many resolved it."""
        return [
            (int(scored), int(resolved))
            for scored, resolved in self.ask(
                "SELECT sum(scored), sum(resolved) FROM trials WHERE run = ? AND scored GROUP BY task", run
            )
        ]

    def entrants(self, run: str | None) -> list[str]:
        where, values = ("WHERE run = ?", (run,)) if run is not None else ("", ())
        return [str(name) for (name,) in self.ask(f"SELECT DISTINCT entrant FROM trials {where} ORDER BY 1", *values)]

    def tasks(self, run: str | None, first: int, count: int) -> tuple[list[str], int]:
        """A page of task names, and how many there are."""
        where, values = ("WHERE run = ?", (run,)) if run is not None else ("", ())
        (number,) = self.ask(f"SELECT count(DISTINCT task) FROM trials {where}", *values)[0]
        names = self.ask(f"SELECT DISTINCT task FROM trials {where} ORDER BY 1 LIMIT ? OFFSET ?", *values, count, first)
        return [str(name) for (name,) in names], int(number)

    def cells(self, run: str | None, tasks: Sequence[str]) -> dict[tuple[str, str], Cell]:
        marks = ", ".join("?" * len(tasks))
        where, values = ("AND run = ?", (run,)) if run is not None else ("", ())
        # Beside a bare min(), SQLite takes the other bare columns from the row that has it.
        rows = self.ask(
            "SELECT task, entrant, count(*), sum(scored), sum(resolved), avg(CASE WHEN scored THEN score END), "
            f"sum(state = 'running'), run, name, min(attempt) FROM trials WHERE task IN ({marks}) {where} "
            "GROUP BY task, entrant",
            *tasks,
            *values,
        )
        return {(row[0], row[1]): Cell(*row[:9]) for row in rows}

    def page(self, run: str | None, first: int, count: int, **where: str) -> tuple[list[Row], int]:
        """A page of trials and how many there are; `where` narrows by label, task, entrant or agent."""
        terms, values = ["1"], []
        for name, value in {"run": run or "", **where}.items():
            if value:
                if name not in ("run", "label", "task", "entrant", "agent"):
                    raise ValueError(f"trials are not narrowed by {name}")
                terms.append(f"{name} = ?")
                values.append(value)
        condition = " AND ".join(terms)
        (number,) = self.ask(f"SELECT count(*) FROM trials WHERE {condition}", *values)[0]
        rows = self.ask(
            f"SELECT {_COLUMNS} FROM trials WHERE {condition} ORDER BY run, task, entrant, attempt, name "
            "LIMIT ? OFFSET ?",
            *values,
            count,
            first,
        )
        return [Row(*row) for row in rows], int(number)

    def trial(self, run: str, name: str) -> Row | None:
        rows = self.ask(f"SELECT {_COLUMNS} FROM trials WHERE run = ? AND name = ?", run, name)
        row = Row(*rows[0]) if rows else None
        # The index may have come with the run, from anyone: it does not say where to read.
        inside = row is not None and any(Path(row.folder).is_relative_to(folder) for folder in self.folders)
        return row if inside and ".." not in Path(name).parts else None

    def count(self) -> int:
        return int(self.ask("SELECT count(*) FROM trials")[0][0])

    def words(self, each: int) -> list[tuple[str, str]]:
        """The key of every trial, and the beginning of what it is found by."""
        return [
            (str(key), str(text))
            for key, text in self.ask(
                "SELECT trials.run || '/' || trials.name, substr(words.text, 1, ?) FROM words JOIN trials "
                "ON trials.id = words.rowid ORDER BY trials.id",
                each,
            )
        ]

    def search(self, text: str, first: int, count: int) -> tuple[list[tuple[Row, str]], int]:
        """Trials with all of the words (the last may be a beginning), best first, each with the place it was found."""
        terms = ['"' + word.replace('"', '""') + '"' for word in text.split()]
        if not terms:
            return [], 0
        query = " ".join(terms) + "*"
        (number,) = self.ask("SELECT count(*) FROM words WHERE words MATCH ?", query)[0]
        rows = self.ask(
            f"SELECT {_COLUMNS}, snippet(words, 0, char(2), char(3), ' … ', 24) FROM words JOIN trials "
            "ON trials.id = words.rowid WHERE words MATCH ? ORDER BY rank LIMIT ? OFFSET ?",
            query,
            count,
            first,
        )
        return [(Row(*row[:-1]), str(row[-1])) for row in rows], int(number)


def index_place(folders: Sequence[Path]) -> Path:
    """In the folder itself when there is one and it can be written to; otherwise in the user's cache."""
    if len(folders) == 1 and os.access(folders[0], os.W_OK) and not is_trial(folders[0]):
        return folders[0] / NAME
    key = hashlib.sha256("\0".join(map(str, folders)).encode()).hexdigest()[:24]
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    cache = owned.private_cache(home / "dayjob", "views")
    return cache / f"{key}.sqlite"


def forget(place: Path) -> None:
    """Remove an index with all its files: what is left of an old one must not be taken for part of the next."""
    for path in (place, Path(f"{place}-wal"), Path(f"{place}-shm")):
        path.unlink(missing_ok=True)


def _open(place: Path) -> sqlite3.Connection:
    """The index as it is; one that is damaged or of another version is made anew."""
    for attempt in (1, 2):
        db = sqlite3.connect(place, check_same_thread=False)
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] == VERSION:
                db.execute("SELECT count(*) FROM trials").fetchone()
                return db
            if not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(_SCHEMA)
                return db
        except sqlite3.DatabaseError:
            if attempt == 2:
                raise
        db.close()
        forget(place)
    raise AssertionError("an empty database is always made")
