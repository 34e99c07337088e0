"""Faults that somebody wrote by hand, as mutants: a list of JSON objects, each the line of a file before and after."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

from tools.mutants.mutant import Edit, Mutant
from tools.mutants.source import Source


class FaultsError(Exception):
    """A fault that cannot be put in, in one sentence."""


def read_faults(root: Path, path: Path) -> list[Mutant]:
    """`[{"file": …, "before": …, "after": …, "line": …}]`; `line` only where `before` is there more than once."""
    try:
        written = json.loads(path.read_text("utf-8"))
        return [_mutant(root, f"{path}, fault {number}", one) for number, one in enumerate(written, 1)]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise FaultsError(f"{path} is not a list of faults (file, before, after, perhaps line): {error}.") from error


def _mutant(root: Path, name: str, fault: dict[str, Any]) -> Mutant:
    file, before, after, line = fault["file"], fault["before"], fault["after"], int(fault.get("line", 0))
    text = (root / file).read_bytes()
    lines = text.decode("utf-8").split("\n")
    places = [number for number, one in enumerate(lines, 1) if one == before and line in (0, number)]
    if len(places) != 1:
        raise FaultsError(f"{name}: {len(places)} lines of {file} are {before.strip()!r}; one is wanted.")
    source = Source(file, text)
    start = source.at(places[0], 0)
    node = _node_at(source, places[0])
    first, last = source.statement_lines(node)
    edit = Edit(start, start + len(before.encode()), after.encode(), "fault")
    found = Mutant(file, source.function_of(node), first, last, edit, text)
    if not found.compiles():
        raise FaultsError(f"{name}: {file} does not compile with {after.strip()!r}.")
    return found


def _node_at(source: Source, line: int) -> ast.AST:
    """The smallest statement or expression that holds the line."""
    holding = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.stmt | ast.expr) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not holding:
        raise FaultsError(f"{source.path}:{line} is no line of a statement.")
    return min(holding, key=lambda node: ((node.end_lineno or node.lineno) - node.lineno, isinstance(node, ast.expr)))
