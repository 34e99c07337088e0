"""SECURITY.md promises only what a test shows: every file and every test that it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
TESTS = "\n".join(path.read_text("utf-8") for path in ROOT.glob("tests/**/*.py"))


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(test_\w+)`", PAGE))))
def test_a_test_that_the_page_names_is_there(name: str) -> None:
    assert re.search(rf"^def {name}\(", TESTS, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([\w/]*test_\w+\.py|tests/[\w/.]+)`", PAGE))))
def test_a_file_that_the_page_names_is_there(name: str) -> None:
    assert list(ROOT.glob(f"tests/**/{name.removeprefix('tests/')}"))


def test_every_row_of_what_is_promised_names_what_shows_it() -> None:
    promised = PAGE.partition("## What is promised")[2].partition("## What is not promised")[0]
    rows = [
        line for line in promised.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| promise"))
    ]
    assert len(rows) > 10
    assert [row for row in rows if "test_" not in row and "`make " not in row] == []
