"""The services have the same rooms, and rules and SQL stand in the store only: whoever knows one knows all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import dayjob.company

HOUSE = Path(dayjob.company.__file__).parent
SERVICES = ("board", "chat", "drive", "forge")
# A file, or a folder where one file would be too long.
ROOMS = (
    "service", "schema", "rows", "errors", "words", "store", "api", "shapes", "pages", "world/model", "world/reading",
    "world/compiling",
)  # fmt: skip
# Where statements may stand: the rules, the tables, and the compiler, which fills them before anybody asks.
WITH_SQL = ("store/", "schema.py", "world/compiling")
STATEMENT = re.compile(
    r"\b(SELECT\s.+\sFROM\b|INSERT\s+(OR\s+\w+\s+)?INTO\b|UPDATE\s+\S+\s+SET\b|DELETE\s+FROM\b|WITH\s+RECURSIVE\b)",
    re.S,
)
CONDITION = re.compile(r"\b(WHERE|ORDER BY|GROUP BY)\b|(=|!=|<|>|IS|LIKE)\s+\?|\bIS (NOT )?NULL\b|\bIN \(\{?")


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_has_every_room(service: str) -> None:
    places = {room: (HOUSE / service / f"{room}.py", HOUSE / service / room / "__init__.py") for room in ROOMS}
    assert [room for room, files in places.items() if not any(file.is_file() for file in files)] == []


@pytest.mark.parametrize("service", SERVICES)
def test_sql_stands_in_the_store_only(service: str) -> None:
    folder = HOUSE / service
    files = [file for file in folder.rglob("*.py") if not str(file.relative_to(folder)).startswith(WITH_SQL)]
    assert len(files) > 20
    found = [
        f"{file.relative_to(HOUSE)}:{line}: {text[:60]!r}"
        for file in files
        for line, text in _texts(ast.parse(file.read_text("utf-8")))
        if STATEMENT.search(text) or CONDITION.search(text)
    ]
    assert found == []


@pytest.mark.parametrize("service", SERVICES)
def test_the_store_knows_nothing_of_http(service: str) -> None:
    wrong = []
    for file in (HOUSE / service / "store").rglob("*.py"):
        for name in _imported(ast.parse(file.read_text("utf-8"))):
            parts = name.split(".")
            if parts[0] == "starlette" or parts[:2] == ["dayjob", "http"] or {"api", "pages", "shapes"} & set(parts):
                wrong.append(f"{file.relative_to(HOUSE)} imports {name}")
    assert wrong == []


def test_statements_and_conditions_are_recognised() -> None:
    for text in ("SELECT a FROM b", "INSERT OR IGNORE INTO a VALUES (?)", "UPDATE a SET b = 1", "DELETE FROM a"):
        assert STATEMENT.search(text), text
    for text in ("name = ?", "a IN ({})", "b IS NOT NULL", "WHERE a", "c LIKE ? ESCAPE 'x'"):
        assert CONDITION.search(text), text
    for text in ("Select a file from the list.", "Who is in the room?", "Update it", "Is this a = b?"):
        assert not STATEMENT.search(text), text
        assert not CONDITION.search(text), text


def _texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring; of one with values in it, the parts around them."""
    documented = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in documented:
            yield node.lineno, node.value


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
