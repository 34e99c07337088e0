"""Who imports whom is what docs/architecture.md says."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dayjob"
ROW = re.compile(r"^\| `(\w+)(/|\.py)` \| .* \|(?P<imports>[^|]*)\|$", re.M)


def _written() -> dict[str, set[str]]:
    """Each folder and single file of the table, with what its last column names."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    return {row[1]: set(re.findall(r"`(\w+)`", row["imports"])) for row in ROW.finditer(text)}


def _single_files() -> set[str]:
    return {path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("__")}


def _imported(tree: ast.Module) -> set[str]:
    """The folders and files right below the package that a module imports, at its top or in functions."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "dayjob":
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dayjob."):
            found.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            found.update(alias.name.split(".")[1] for alias in node.names if alias.name.startswith("dayjob."))
    return found - {"__version__"}


def _imports() -> dict[str, dict[str, Path]]:
    """Which part imports which, and one file that does."""
    found: dict[str, dict[str, Path]] = defaultdict(dict)
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE)
        part = inside.parts[0].removesuffix(".py")
        if part != "__main__":
            for other in _imported(ast.parse(path.read_text("utf-8"))) - {part}:
                found[part][other] = inside
    return found


def test_every_part_is_in_the_table() -> None:
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert set(_written()) == folders | _single_files()


def test_imports_are_those_of_the_table() -> None:
    free = _single_files()
    found = {part: {other for other in others if other not in free} for part, others in _imports().items()}
    allowed = _written()
    places = {
        f"{part} → {other} ({_imports()[part][other]})" for part in found for other in found[part] - allowed[part]
    }
    assert not places, "imports that docs/architecture.md does not have"
    unused = {f"{part} → {other}" for part in allowed for other in allowed[part] - found.get(part, set())}
    assert not unused, "docs/architecture.md has imports that nothing makes"


def test_single_files_import_nothing_of_ours() -> None:
    imports = _imports()
    assert {name: set(imports.get(name, {})) for name in _single_files()} == {name: set() for name in _single_files()}
