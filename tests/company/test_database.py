"""Copies of an SQLite image: private, writable, whole."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company import database


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("image") / "image.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    db.executemany("INSERT INTO notes (text) VALUES (?)", [(f"note {number} " * 20,) for number in range(5000)])
    db.commit()
    db.close()
    return path


@pytest.fixture(params=["mapped", "copied"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways of making a copy have to keep every promise."""
    if request.param == "copied":
        monkeypatch.setattr(database, "can_map", lambda: False)  # can fail: the other of its two ways is what is tested
    elif not database.can_map():
        pytest.fail("this interpreter's connections cannot be mapped, so the fast path would go untested")
    return str(request.param)


def test_a_clone_starts_as_the_image(image: Path, way: str) -> None:
    copy = database.clone(image)
    assert copy.execute("SELECT count(*) FROM notes").fetchone() == (5000,)
    assert (copy.mapping is not None) == (way == "mapped")
    copy.close()


def test_writes_stay_in_their_clone_and_never_reach_the_image(image: Path, way: str) -> None:
    before = image.read_bytes()
    one, other = database.clone(image), database.clone(image)
    one.execute("UPDATE notes SET text = 'changed' WHERE id < 1000")
    one.execute("INSERT INTO notes (text) VALUES ('new')")
    assert other.execute("SELECT count(*) FROM notes WHERE text IN ('changed', 'new')").fetchone() == (0,)
    one.close()
    assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    other.close()
    assert image.read_bytes() == before


def test_a_clone_grows_far_beyond_its_image(image: Path, way: str) -> None:
    copy = database.clone(image)
    copy.executemany("INSERT INTO notes (text) VALUES (?)", [("x" * 4000,) for _ in range(5000)])
    assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert len(copy.serialize()) > 10 * image.stat().st_size
    copy.close()


def test_a_rolled_back_transaction_leaves_a_clone_as_it_was(image: Path, way: str) -> None:
    copy = database.clone(image)
    before = copy.serialize()
    copy.execute("BEGIN")
    copy.execute("DELETE FROM notes")
    copy.execute("ROLLBACK")
    assert copy.execute("SELECT count(*) FROM notes").fetchone() == (5000,)
    assert len(copy.serialize()) == len(before)
    copy.close()


def test_a_clone_that_is_dropped_gives_its_mapping_back(image: Path) -> None:
    def mappings() -> int:
        return Path("/proc/self/maps").read_text().count(str(image))

    before = mappings()
    copies = [database.clone(image) for _ in range(20)]
    assert mappings() > before
    del copies
    gc.collect()  # a connection and its statement cache refer to each other
    assert mappings() == before


@given(
    st.lists(st.tuples(st.sampled_from(["insert", "update", "delete"]), st.integers(1, 5000), st.text()), max_size=60)
)
@settings(max_examples=30, deadline=None)
def test_a_mapped_clone_and_a_plain_database_agree_after_any_writes(
    image: Path, steps: list[tuple[str, int, str]]
) -> None:
    mapped = database.clone(image)
    plain = sqlite3.connect(":memory:", isolation_level=None)
    plain.deserialize(image.read_bytes())
    for db in (mapped, plain):
        for what, number, text in steps:
            text = text.encode("utf-8", "replace").decode()
            if what == "insert":
                db.execute("INSERT INTO notes (text) VALUES (?)", (text,))
            elif what == "update":
                db.execute("UPDATE notes SET text = ? WHERE id = ?", (text, number))
            else:
                db.execute("DELETE FROM notes WHERE id = ?", (number,))
    assert list(mapped.execute("SELECT * FROM notes")) == list(plain.execute("SELECT * FROM notes"))
    assert mapped.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    mapped.close()
    plain.close()


SETTINGS = {"foreign_keys": 1, "temp_store": 2, "cache_size": -1024}


@pytest.mark.parametrize("kept", ["cloned", "in a file"])
def test_references_between_rows_are_kept_wherever_the_database_lives(image: Path, kept: str, tmp_path: Path) -> None:
    db = database.clone(image) if kept == "cloned" else database.open_file(tmp_path / "state.db")
    found = {name: db.execute(f"PRAGMA {name}").fetchone()[0] for name in SETTINGS}
    db.execute("CREATE TABLE owners (id INTEGER PRIMARY KEY)")
    db.execute("CREATE TABLE things (owner INTEGER REFERENCES owners (id) ON DELETE CASCADE)")
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"):
        db.execute("INSERT INTO things VALUES (7)")
    db.execute("INSERT INTO owners VALUES (1)")
    db.execute("INSERT INTO things VALUES (1)")
    db.execute("DELETE FROM owners")
    assert db.execute("SELECT count(*) FROM things").fetchone() == (0,)
    db.close()
    assert found == SETTINGS


def test_a_file_is_written_ahead_so_that_readers_and_crashes_find_it_whole(tmp_path: Path) -> None:
    db = database.open_file(tmp_path / "state.db")
    assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert db.execute("PRAGMA synchronous").fetchone() == (1,)
    db.close()
