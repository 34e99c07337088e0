"""docs/chat.md names every setting and permission that nothing reads, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob.company import chat
from dayjob.company.chat.defaults import PERMISSIONS, SETTINGS

PAGE = Path(__file__).parents[3] / "docs" / "chat.md"


def spoken() -> Iterator[str]:
    """A pattern for each text in the source of chat that could be the name of a setting or permission."""
    for path in Path(chat.__file__).parent.rglob("*.py"):
        if path.name == "defaults.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from map(re.escape, node.value.split())
            elif isinstance(node, ast.JoinedStr):
                parts = [str(one.value) if isinstance(one, ast.Constant) else None for one in node.values]
                if any(part and len(part) > 3 for part in parts):
                    yield "".join(r"\w+" if part is None else re.escape(part) for part in parts)


@pytest.mark.parametrize(("heading", "names"), [("Settings", SETTINGS), ("Permissions", PERMISSIONS)])
def test_what_is_only_stored_is_named_in_the_docs(heading: str, names: dict[str, object]) -> None:
    read = re.compile("|".join(sorted(set(spoken()))))
    unread = {name for name in names if not read.fullmatch(name)}
    listed = re.search(rf"^- \*\*{heading}\*\*:(.*?)(?=^- |^#|\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert set(re.findall(r"`([^`]+)`", listed[1])) == unread
