"""The generators of Larkspur: what they write is in the world, and opens with the library of its kind."""

from __future__ import annotations

import csv
import io
import re
import sqlite3
import subprocess
import sys
import zipfile
from pathlib import Path

import docx
import odf.opendocument  # type: ignore[import-untyped]  # odfpy ships no types
import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
import pptx
import pypdfium2  # type: ignore[import-untyped]  # pypdfium2 ships no types
import pytest
from PIL import Image

from tools.larkspur.__main__ import generated, main
from tools.larkspur.facts import WORLD
from tools.larkspur.unsorted import FOLDER as UNSORTED

FILES = sorted(path for path in (WORLD / "drive").rglob("*") if path.is_file())
ROOT = WORLD.parents[1]


def of_kind(*endings: str) -> list[Path]:
    found = [path for path in FILES if path.suffix.lower() in endings]
    assert found, endings
    return found


def test_regenerating_changes_nothing() -> None:
    # In a process of its own: odfpy declares the namespaces of every document that its process has made before.
    command = [sys.executable, "-m", "tools.larkspur", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_another_process_on_another_day_writes_the_same_bytes(tmp_path: Path) -> None:
    code = (
        "import hashlib\nfrom tools.larkspur.__main__ import generated\n"
        "print(hashlib.sha256(repr(sorted(generated().items())).encode()).hexdigest())"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed, "TZ": zone, "PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(answers) == 1


def test_a_stale_file_is_named_and_written_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tools.larkspur.__main__.WORLD", tmp_path)
    monkeypatch.setattr("tools.larkspur.__main__.generated", lambda: {"drive/a.csv": b"a\n"})
    assert (main(["--check"]), capsys.readouterr().out) == (1, "drive/a.csv\n")
    assert main([]) == 0
    assert (tmp_path / "drive" / "a.csv").read_bytes() == b"a\n"
    assert main(["--check"]) == 0
    assert main(["--nonsense"]) == 2


def test_spreadsheets_open_and_hold_values_not_formulas() -> None:
    for path in of_kind(".xlsx"):
        book = openpyxl.load_workbook(path)
        cells = [cell for page in book for row in page.iter_rows(values_only=True) for cell in row]
        assert any(cell is not None for cell in cells), path
        assert not any(isinstance(cell, str) and cell.startswith("=") for cell in cells), path


def test_texts_and_slides_open() -> None:
    for path in of_kind(".docx"):
        assert any(part.text for part in docx.Document(str(path)).paragraphs), path
    for path in of_kind(".pptx"):
        assert len(pptx.Presentation(str(path)).slides) > 3, path
    for path in of_kind(".odt", ".ods", ".odp"):
        assert odf.opendocument.load(path).body.hasChildNodes(), path


def test_pages_open_and_their_text_can_be_read() -> None:
    for path in of_kind(".pdf"):
        page = pypdfium2.PdfDocument(path)[0]
        assert len(page.get_textpage().get_text_range().split()) > 10, path


def test_pictures_open() -> None:
    for path in of_kind(".png", ".jpg", ".jpeg"):
        with Image.open(path) as picture:
            picture.load()
            assert min(picture.size) >= 300, path


def test_lists_have_as_many_fields_in_each_row_as_in_the_head() -> None:
    for path in of_kind(".csv"):
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8"))))
        assert len(rows) > 1, path
        assert {len(row) for row in rows} == {len(rows[0])}, path


def test_the_usage_file_is_a_sound_database() -> None:
    (path,) = of_kind(".sqlite")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    db.close()


def test_containers_say_nothing_about_when_and_where_they_were_made() -> None:
    for path in of_kind(".xlsx", ".docx", ".pptx", ".odt", ".ods", ".odp"):
        with zipfile.ZipFile(path) as container:
            assert {info.date_time for info in container.infolist()} == {(2026, 3, 6, 17, 0, 0)}, path
            assert {info.compress_type for info in container.infolist()} == {zipfile.ZIP_STORED}, path


def test_names_follow_the_naming_policy_except_where_a_task_is_to_mend_them() -> None:
    for path in FILES:
        inside = path.relative_to(WORLD).as_posix()
        if inside.startswith(f"{UNSORTED}/") or path.name in ("README.md", "shares.yml", "times.yml"):
            continue
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*\.[a-z]+", path.name), inside
        assert not {"final", "copy", "new", "old", "draft"} & set(path.stem.split("-")), inside


def test_the_drive_is_of_a_size_that_a_company_opens_with_at_once() -> None:
    assert 70 <= len(FILES) <= 150
    assert 1_000_000 <= sum(path.stat().st_size for path in FILES) <= 6_000_000
    assert set(generated()) <= {path.relative_to(WORLD).as_posix() for path in FILES}
