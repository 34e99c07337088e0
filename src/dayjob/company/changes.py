"""What is different since the start: found by the databases themselves, folded per row, told as data and in words.

`install` gives every tracked table triggers that report each added, removed or changed row to the journal, with the
account of the request that did it. A service therefore cannot forget to report a change.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.company.journal import Change, current, cut_value


@dataclass(frozen=True, slots=True)
class Tracked:
    """A table whose rows matter to a grader. `hide` names columns that are secret or mere bookkeeping."""

    table: str
    key: str = "id"
    hide: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """One row that is not what it was: what happened to it, its values before and after, and who did it."""

    service: str
    table: str
    op: str  # added, removed, changed
    key: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    by: str | None
    words: str = ""

    def changed_columns(self) -> list[str]:
        """The names of the columns whose value is another one now."""
        before, after = self.before or {}, self.after or {}
        return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def install(db: sqlite3.Connection, tables: Iterable[Tracked]) -> None:
    """Write the reporting triggers into a database; they are part of the image every clone starts from.

    A trigger only hands its values over and Python does the rest: every company keeps the parsed triggers in memory.
    """
    for tracked in tables:
        columns = [
            name for _, name, *_ in db.execute(f"PRAGMA table_info({tracked.table})") if name not in tracked.hide
        ]
        old, new = (", ".join(f'{row}."{name}"' for name in columns) for row in ("OLD", "NEW"))
        for op, event, key, values in (
            ("added", "INSERT", "NEW", new),
            ("removed", "DELETE", "OLD", old),
            ("changed", "UPDATE", "NEW", f"{old}, {new}"),
        ):
            arguments = f"'{tracked.table}', '{op}', {key}.{tracked.key}, '{','.join(columns)}', {values}"
            db.execute(
                f"CREATE TRIGGER note_{tracked.table}_{op} AFTER {event} ON {tracked.table} "
                f"BEGIN SELECT note_change({arguments}); END"
            )


def connect(db: sqlite3.Connection) -> None:
    """Make a connection able to write to a database that has the triggers."""
    db.create_function("note_change", -1, _note)


def _note(table: str, op: str, key: object, names: str, *values: object) -> None:
    """Called by a trigger: hang the row, as it was and as it is, on the visit that is going on."""
    visit = current.get()
    if visit is None:
        return
    columns = names.split(",")
    if op == "changed":
        before, after = values[: len(columns)], values[len(columns) :]
        if before != after:
            visit.pending.append((table, op, str(key), _json(columns, before), _json(columns, after)))
    else:
        row = _json(columns, values)
        visit.pending.append((table, op, str(key), row if op == "removed" else None, row if op == "added" else None))


def _json(columns: Sequence[str], values: Sequence[object]) -> str:
    return json.dumps(dict(zip(columns, map(cut_value, values), strict=True)), default=bytes.hex)


_COUNTED = ("examinee", "people", "runner")


def differences(changes: Iterable[Change], *, everyone: bool = False) -> list[Difference]:
    """Fold single changes into what is different: a row added and removed again is no difference.

    Only what the examinee (or the people using a served company) did counts, from the moment work began, and what CI
    made of it: a merge when the pipeline succeeds is the runner's request. `everyone=True` also counts colleagues, init
    scripts and graders.
    """
    folded: dict[tuple[str, str, str], Difference] = {}
    for change in changes:
        if not everyone and (change.role not in _COUNTED or change.phase in ("init", "grade")):
            continue
        place = (change.service, change.table, change.key)
        earlier = folded.get(place)
        before = earlier.before if earlier else change.before
        op = "added" if before is None else "removed" if change.after is None else "changed"
        folded[place] = Difference(*place[:2], op, place[2], before, change.after, change.account)
    return [found for found in folded.values() if found.before != found.after]
