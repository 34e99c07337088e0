"""Where what is defined at import is used: a table's fault shows in the lines that read the table."""

from __future__ import annotations

import ast
import re
from pathlib import Path

Lines = dict[str, list[int]]


def names_defined(source: bytes, first: int, last: int) -> set[str]:
    """What the statement on these lines defines, and what at import is made of that; a field stands for its class."""
    made = list(_defined(ast.parse(source)))
    found = {name for statement, names in made if first <= statement.lineno <= last for name in names}
    while found:
        more = {name for statement, names in made if _reads(statement, found) for name in names} - found
        if not more:
            break
        found |= more
    return found


def _defined(tree: ast.Module) -> list[tuple[ast.stmt, set[str]]]:
    """The statements at import that define something, with its names."""
    found: list[tuple[ast.stmt, set[str]]] = []
    blocks: list[ast.Module | ast.ClassDef] = [tree, *(one for one in tree.body if isinstance(one, ast.ClassDef))]
    for above in blocks:
        of_class = {above.name} if isinstance(above, ast.ClassDef) else set()
        for one in above.body:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((one, {one.name}))
            elif isinstance(one, ast.Assign | ast.AnnAssign):
                targets = one.targets if isinstance(one, ast.Assign) else [one.target]
                found.append((one, {target.id for target in targets if isinstance(target, ast.Name)} | of_class))
    return found


def _reads(statement: ast.stmt, names: set[str]) -> bool:
    return isinstance(statement, ast.Assign | ast.AnnAssign) and any(
        isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names
        for node in ast.walk(statement)
    )


def mentions(root: Path, path: str, names: set[str], package: str = "src/dayjob") -> Lines:
    """The lines of the package that say any of the names: in the file itself, and in those that know the module."""
    if not names:
        return {}
    said = _any_of(names)
    knows = re.compile(rf"\b{re.escape(Path(path).stem)}\b")
    found: Lines = {}
    for file in sorted((root / package).rglob("*.py")):
        name, text = str(file.relative_to(root)), file.read_text("utf-8")
        if said.search(text) and (name == path or knows.search(text)):
            found[name] = [number for number, line in enumerate(text.splitlines(), 1) if said.search(line)]
    return found


def functions_naming(text: str, names: set[str]) -> set[str]:
    """The functions of a test file, those of its classes too, whose text says any of the names."""
    said = _any_of(names)
    if not names or not said.search(text):
        return set()
    lines = text.splitlines()
    return {
        node.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and said.search("\n".join(lines[_first(node) - 1 : node.end_lineno]))
    }


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Its first line: parameters are given above its name."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])


def _any_of(names: set[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, names)))})\b")
