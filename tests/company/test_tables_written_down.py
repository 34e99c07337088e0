"""Limits and tables that others rely on, value by value, in `written/`: one that changes is seen in review."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.company.talks.talk import kept

TABLES = (
    "http.protocol", "pages.forms", "pages.markdown", "journal", "expressions", "mime", "board.storage", "board.paging",
    "board.pages.listing", "chat.defaults", "chat.api.forms", "chat.api.collections", "drive.names",
    "drive.previews.confinement", "drive.previews.kinds", "drive.previews.limits", "drive.previews.office",
    "drive.previews.blocks", "drive.previews.runner", "drive.previews.worker", "drive.rows",
    "drive.sizes", "drive.world.reading", "drive.world.compiling", "board.store.item_filters",
    "forge.ci.rules", "forge.git.differences", "forge.git.reading", "forge.git.writing", "forge.api.call",
    "forge.pages.diffs", "forge.pages.requests", "forge.pages.account",
)  # fmt: skip


@pytest.mark.parametrize("service", ["", "board", "chat", "drive", "forge"])
def test_limits_and_tables_are_as_written_down(service: str) -> None:
    lines = []
    for name in TABLES:
        if (name.split(".")[0] if name.split(".")[0] in ("board", "chat", "drive", "forge") else "") == service:
            module = importlib.import_module(f"dayjob.{name}" if name.startswith("http.") else f"dayjob.company.{name}")
            for constant, value in sorted(vars(module).items()):
                if constant.strip("_").isupper() and (told := _told(value)) is not None:
                    lines.append(f"{name}.{constant} = {told}")
    assert lines
    assert kept(Path(__file__).with_name("written") / f"{service or 'company'}.txt", lines) == []


def _told(value: Any) -> str | None:
    """Plain values as text; what holds anything else (a pattern, a function) is tested by what it does."""
    if isinstance(value, frozenset | set):
        value = sorted(value, key=str)
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    except TypeError:
        return None
