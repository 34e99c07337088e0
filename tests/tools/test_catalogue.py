"""docs/tasks.md says what the tasks say."""

from __future__ import annotations

from pathlib import Path

from tools.catalogue import catalogue

ROOT = Path(__file__).resolve().parents[2]


def test_the_catalogue_of_tasks_is_up_to_date() -> None:
    assert (ROOT / "docs" / "tasks.md").read_text("utf-8") == catalogue(ROOT / "tasks"), "run make catalogue"
