"""What a task's Python files need of the Python that will run them: that it reads them, and the modules they import.

`main` is asked in a grader's room before anybody works, and runs nothing of the task: files are parsed, and modules are
looked for, never imported.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import sys
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

_CATCHES_IMPORTS = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
_PATHS = {("sys", "path"), ("sys", "meta_path"), ("sys", "modules"), ("site", "addsitedir")}
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Import:
    """A module by the first part of its name, and the line that imports it."""

    module: str
    line: int


def needed_imports(tree: ast.Module, *, as_script: bool = False) -> list[Import]:
    """The modules without which a file cannot do its work; none where it changes what can be found itself.

    An import that somebody prepared to fail is not needed, nor one in a function that nothing calls. `as_script`: its
    main block is run.
    """
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and (node.value.id, node.attr) in _PATHS
        ):
            return []
    found: dict[str, Import] = {}
    for statement in _used(tree, as_script):
        for part in _unguarded(statement):
            if isinstance(part, ast.Import):
                names = [alias.name for alias in part.names]
            elif isinstance(part, ast.ImportFrom) and part.module and not part.level:
                names = [part.module]
            else:
                continue
            for name in names:
                found.setdefault(name.partition(".")[0], Import(name.partition(".")[0], part.lineno))
    return list(found.values())


def _used(tree: ast.Module, as_script: bool) -> list[ast.stmt]:
    """The statements of a module that are run, and the functions and classes whose names these mention, and so on."""
    definitions = {node.name: node for node in tree.body if isinstance(node, _DEFINITIONS)}
    used: list[ast.stmt] = [
        node
        for node in tree.body
        if not isinstance(node, _DEFINITIONS) and (as_script or not _is_main_block(node)) and not _is_for_some(node)
    ]
    pending = ["grade_checkpoints", *(name for node in used for name in _mentioned(node))]
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in definitions and name not in seen:
            seen.add(name)
            used.append(definitions[name])
            pending += _mentioned(definitions[name])
    return used


def _mentioned(node: ast.AST) -> list[str]:
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]


def _is_main_block(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in _mentioned(node.test)


def _is_for_some(node: ast.AST) -> bool:
    """Is it for type checkers alone, or for some Pythons and not for others?"""
    if not isinstance(node, ast.If):
        return False
    asked = ast.unparse(node.test)
    return asked in ("TYPE_CHECKING", "typing.TYPE_CHECKING") or "version_info" in asked or "find_spec" in asked


def _unguarded(root: ast.AST) -> Iterator[ast.AST]:
    """Everything below a statement that no handler for a missing module stands behind."""
    pending = deque([root])
    while pending:
        node = pending.popleft()
        if _is_for_some(node) or (isinstance(node, ast.With) and any(_suppresses(item) for item in node.items)):
            continue
        if isinstance(node, ast.Try) and any(
            handler.type is None or _catches(handler.type) for handler in node.handlers
        ):
            pending += [*node.orelse, *node.finalbody]
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def _catches(errors: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) and part.id in _CATCHES_IMPORTS for part in ast.walk(errors))


def _suppresses(item: ast.withitem) -> bool:
    called = item.context_expr
    return isinstance(called, ast.Call) and ast.unparse(called.func).endswith("suppress") and _catches(called)


def main() -> None:
    """Answer on standard output what is asked on standard input.

    Asked: the texts of the task's files by name (`files`), which of them graders begin with (`evaluator`) and which are
    scripts of their own (`scripts`). Answered: the version of this Python, the files it cannot read (`unread`) and the
    modules that are not there (`missing`), each with file and line.
    """
    asked = json.load(sys.stdin)
    sys.path.append("/utils/standins")
    look = _Look(asked["files"])
    look.at(asked["evaluator"], as_script=False)
    with _path_of_scripts():
        for name in asked["scripts"]:
            look.at(name, as_script=True)
    version = [*sys.version_info[:3]]
    sys.stdout.write(json.dumps({"version": version, "unread": look.unread, "missing": look.missing}))
    sys.stdout.flush()


class _Look:
    """One look at a task's files, each of them once."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files
        self.seen: set[str] = set()
        self.unread: list[dict[str, Any]] = []
        self.missing: list[dict[str, Any]] = []

    def at(self, name: str, *, as_script: bool) -> None:
        if name in self.seen or name not in self.files:
            return
        self.seen.add(name)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(self.files[name], name)
                compile(tree, name, "exec")
        except SyntaxError as error:
            self.unread.append({"file": name, "line": error.lineno or 0, "why": error.msg})
            return
        except (ValueError, RecursionError, MemoryError) as error:
            self.unread.append({"file": name, "line": 0, "why": str(error)})
            return
        for needed in needed_imports(tree, as_script=as_script):
            if f"{needed.module}.py" in self.files:
                self.at(f"{needed.module}.py", as_script=False)
            elif not _is_there(needed.module):
                self.missing.append({"file": name, "line": needed.line, "module": needed.module})


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError):
        return False
    except ValueError:
        return True  # loaded, and made by hand


@contextmanager
def _path_of_scripts() -> Iterator[None]:
    """Init scripts are started with the image's settings, which an evaluator is not."""
    before = [*sys.path]
    sys.path += [part for part in os.environ.get("PYTHONPATH", "").split(":") if part]
    try:
        yield
    finally:
        sys.path[:] = before
