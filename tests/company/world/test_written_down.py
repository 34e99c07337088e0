"""What the world of docs/worlds.md compiles to, row by row, and what is said when each of its lines is spoiled."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest

from dayjob.company.world import build_snapshot
from dayjob.company.world.snapshot import check_world
from dayjob.service_names import NAMES
from tests.company.talks.talk import Names, kept
from tests.company.world.test_docs import FILE, PAGE

WRITTEN = Path(__file__).with_name("written")
SECRET = ("passwords", "api_keys", "tokens", "sessions", "sqlite_sequence", "messages_text")


def _write(folder: Path) -> Path:
    for name, text in FILE.findall(PAGE.read_text("utf-8")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize("service", NAMES)
def test_a_world_compiles_to_the_rows_written_down(tmp_path: Path, service: str) -> None:
    snapshot = build_snapshot(_write(tmp_path / "acme"), cache=tmp_path / "cache")
    db = sqlite3.connect(snapshot.path / f"{service}.db")
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    names, lines = Names(), []
    for table in tables:
        if not table.startswith(SECRET):
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for row in db.execute(f"SELECT * FROM {table} ORDER BY 1"):
                facts = {name: value for name, value in zip(columns, row, strict=True) if _plain(name, value)}
                lines.append(f"{table} {names.shown(json.dumps(facts, ensure_ascii=False))}")
    db.close()
    assert kept(WRITTEN / f"{service}.txt", lines) == []


def _plain(name: str, value: object) -> bool:
    return value is not None and not isinstance(value, bytes) and "password" not in name


def test_a_spoiled_line_of_a_world_is_complained_about_as_written_down(tmp_path: Path) -> None:
    """Each key in turn is misspelt, and each value in turn is one that nothing can have."""
    folder, lines = _write(tmp_path / "acme"), []
    for path in sorted([*folder.rglob("*.yml"), *folder.rglob("*.toml")]):
        text = path.read_text("utf-8")
        for key in re.finditer(r"^(?:- | *)([a-z_]+)(?=: | = |:\n)", text, re.MULTILINE):
            start, end = key.span(1)
            line_end = text.index("\n", end)
            misspelt = text[:start] + "colour_of_moon" + text[end:]
            emptied = text[:end] + (" = 7.5" if path.suffix == ".toml" else ": {odd: [7.5]}") + text[line_end:]
            for way, spoilt in (("key", misspelt), ("value", emptied)):
                path.write_text(spoilt, "utf-8")
                said = sorted({str(one).replace(str(folder), "") for one in check_world(folder)})
                place = f"{path.relative_to(folder)} {key[1]} {way}"
                lines += [f"{place}: {' '.join(one.split())}" for one in said[:4]]
        path.write_text(text, "utf-8")
    assert kept(WRITTEN / "complaints.txt", lines) == []
