"""A family: a task folder whose `variant.py` draws values, from which each variant is made as an ordinary task folder.

This module knows the folder's parts and what drawn values must be. It runs nothing: drawing and making happen in rooms
(`dayjob.trial.variants`).
"""

from __future__ import annotations

import ast
import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dayjob.task.base_python import in_standard_library
from dayjob.task.findings import Finding, TaskError
from dayjob.task.reading import parse_python, read_text
from dayjob.task.rules import Rule

VARIANT, BUILD, SUFFIX = "variant.py", "build.py", ".j2"
KEY = "key"
"""The part of the values that holds the answer: it differs from variant to variant and is never in task.md."""
LARGEST_VALUES = 256 * 1024
DEEPEST_VALUES = 20

_MADE = "# Made by dayjob from a family: the values of one variant."
# What is left out of a made folder: nobody reads it there, and it would tell about other variants.
_LEFT_OUT = frozenset({"__pycache__", ".git", ".mypy_cache", ".ruff_cache", ".pytest_cache"})
# Read before anything is made.
_FIXED = ("task.toml", VARIANT, BUILD)

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Parts:
    """The files of a family's folder, by their names in it."""

    plain: tuple[str, ...]
    """Copied as they are."""
    templates: tuple[str, ...]
    """Made into the file of the same name without `.j2`."""
    build: bool


def is_family(path: Path) -> bool:
    """Whether a task folder is made anew for each variant. A made one, which has its values in variant.py, is not."""
    try:
        with (path / VARIANT).open("rb") as file:
            return not file.read(len(_MADE) + 3).startswith(_MADE.encode())
    except OSError:
        return False


def parts_of(path: Path) -> Parts:
    """The folder's parts. Raises `TaskError` when a template stands beside the file that would be made of it."""
    names = sorted(_files(path))
    templates = tuple(name for name in names if name.endswith(SUFFIX))
    for name in templates:
        target = name.removesuffix(SUFFIX)
        if target in names:
            raise TaskError(Rule.TEMPLATE_TARGET, name, 0, f"{target} is there as well", "Keep one of them")
        if target in _FIXED:
            raise TaskError(
                Rule.TEMPLATE,
                name,
                0,
                f"{target} is read before anything is made",
                f"Write it as {target}, the same for all variants",
            )
    plain = tuple(name for name in names if name not in templates and name not in (VARIANT, BUILD))
    return Parts(plain, templates, BUILD in names)


def _files(folder: Path, below: str = "") -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.name in _LEFT_OUT:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _files(Path(entry.path), f"{below}{entry.name}/")
        else:
            yield below + entry.name


def variant_module(values: Mapping[str, Any]) -> str:
    """The generated variant.py: what `from variant import VALUES` finds beside evaluator, solution and mutants."""
    return f"{_MADE}\nimport json\n\nVALUES = json.loads({json.dumps(values, sort_keys=True)!r})\n"


def check_values(values: Any) -> Values:
    """Values as they may be, or a `TaskError` that names what may not."""
    problem = _problem(values, "the values", 0)
    if problem is None and not isinstance(values, dict):
        problem = "draw returned no dictionary"
    elif problem is None and (not isinstance(values.get(KEY), dict) or not values[KEY]):
        problem = f"the values have no '{KEY}' that is a dictionary with the answer"
    elif problem is None and (size := len(json.dumps(values))) > LARGEST_VALUES:
        problem = f"the values are {size} bytes of JSON, and {LARGEST_VALUES} are the most"
    if problem is not None:
        raise values_error(problem)
    return dict(values)


def values_error(problem: str) -> TaskError:
    fix = f"Return a dictionary of JSON values, with the answer under '{KEY}'"
    return TaskError(Rule.FAMILY_VALUES, VARIANT, 0, problem, fix)


def _problem(value: Any, where: str, depth: int) -> str | None:
    if depth > DEEPEST_VALUES:
        return f"{where} is nested more than {DEEPEST_VALUES} deep"
    if isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str):
                return f"{where} has a name that is no text: {name!r}"
            if found := _problem(one, f"{where}.{name}", depth + 1):
                return found
        return None
    if isinstance(value, list):
        return next(
            (found for at, one in enumerate(value) if (found := _problem(one, f"{where}[{at}]", depth + 1))), None
        )
    if isinstance(value, float) and not math.isfinite(value):
        return f"{where} is {value}, which JSON does not have"
    return None if value is None or isinstance(value, str | int | float) else f"{where} is no JSON value"


def leaves(value: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Every text and number in values, with the path that leads to it."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from leaves(one, f"{where}.{name}" if where else name)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from leaves(one, f"{where}[{at}]")
    else:
        yield where, value


def check_program(path: Path) -> Iterator[Finding]:
    """What can be said of variant.py without running it."""
    text = read_text(path, VARIANT)
    try:
        tree = parse_python(text, VARIANT, Rule.FAMILY_DRAW)
    except TaskError as error:
        yield error.finding
        return
    drawing = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "draw"]
    if not drawing:
        yield Finding(Rule.FAMILY_DRAW, VARIANT, 0, "it has no function draw", "Write def draw(random) -> dict")
    elif len([*drawing[-1].args.posonlyargs, *drawing[-1].args.args]) != 1:
        line = drawing[-1].lineno
        yield Finding(Rule.FAMILY_DRAW, VARIANT, line, "draw takes one argument", "Write def draw(random) -> dict")
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if not node.level else [""]
        for name in names:
            if not in_standard_library(name.partition(".")[0]):
                yield Finding(
                    Rule.FAMILY_IMPORT,
                    VARIANT,
                    getattr(node, "lineno", 0),
                    f"it imports {name or 'what stands beside it'}, which is not in the standard library",
                    f"Draw with the standard library alone; {BUILD} may import what the base image has",
                )
