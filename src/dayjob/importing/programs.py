"""What graders and init scripts ask the company for, read from their syntax; nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from dayjob.importing.checkout import clean, constants_of

_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*")
_ISSUE_PATH = re.compile(r"(?:^|/)issues/(\d{1,8})\b")
_ISSUE_NAME = re.compile(r"issue|iid", re.I)
_AMOUNT = re.compile(r"num|count|total|max|min|expected|len|point|score|limit|page", re.I)
_CYCLES = re.compile(r"/?\bcycles\b/?|cycle-issues")
_CLOCK = {"now", "utcnow", "today"}


@dataclass(slots=True)
class Asked:
    """What one program asks for."""

    boards: set[str] = field(default_factory=set)
    cycles: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    made_items: set[str] = field(default_factory=set)
    """Items of the board that the program makes itself."""
    running_cycles: bool = False
    """It asks for cycles without their names: for those that are running or come next."""
    asks_clock: bool = False
    """It asks the machine what time it is."""
    projects: set[str] = field(default_factory=set)
    """`namespace/name`."""
    issues: set[int] = field(default_factory=set)
    titles: set[str] = field(default_factory=set)
    """Titles of issues that it searches a forge project for."""
    documents: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)


def read_program(program: ast.Module, settings: dict[str, object]) -> Asked:
    found = Asked()
    known = _known(program, settings)
    for node in ast.walk(program):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            _call(found, node.func.id, node, known)
        elif isinstance(node, ast.Attribute) and node.attr in _CLOCK:
            found.asks_clock = True
        elif isinstance(node, ast.Constant | ast.JoinedStr) and (text := _value(node, known)):
            found.issues |= {int(number) for number in _ISSUE_PATH.findall(text) if int(number)}
            found.running_cycles |= bool(_CYCLES.search(text))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found.issues |= _numbers(target.id, node.value)
    found.running_cycles |= any(name == "get_plane_issues_by_project_cycle" for name, _ in _called(program))
    found.issues |= _given_numbers(program)
    if not re.search(r"gitlab|:8929", ast.dump(program), re.I):
        found.issues.clear()
    return found


def _call(found: Asked, name: str, call: ast.Call, known: dict[str, object]) -> None:
    values = [_value(argument, known) for argument in [*call.args, *(one.value for one in call.keywords)]]
    first, second = [*values[:2], None, None][:2]
    match name:
        case "get_plane_project_id" if first:
            found.boards.add(first)
        case "get_plane_cycle_details" if second:
            found.cycles.add(second)
        case "get_plane_issue_details" if second:
            found.items.add(second)
        case "create_plane_issue":
            found.made_items |= {value for value in values if value}
        case "check_file_in_owncloud_directory" | "get_binary_file_content_owncloud" if second:
            found.folders.add(unquote(second))
            if first and "/" not in first:
                found.documents.add(f"{unquote(second).strip('/')}/{unquote(first)}")
        case "get_gitlab_project_id" if first and _NAME.fullmatch(first):
            found.projects.add(f"root/{first}")
        case "make_gitlab_request" if first and _NAME.fullmatch(unquote(first).partition("/")[2]):
            found.projects.add(unquote(first))
    if name == "make_gitlab_request" and "issues" in values:
        for one in call.keywords:
            if isinstance(one.value, ast.Dict):
                pairs = zip(one.value.keys, one.value.values, strict=True)
                asked = {_value(value, known) for key, value in pairs if key and _value(key, known) == "search"}
                found.titles |= {title for title in asked if title}


def _numbers(name: str, value: ast.expr) -> set[int]:
    """`BUG_ISSUE = 200` and `ISSUES = [3, 4]`: issues by number, unless the name says that it is an amount."""
    if not _ISSUE_NAME.search(name) or _AMOUNT.search(name):
        return set()
    parts = value.elts if isinstance(value, ast.List | ast.Tuple | ast.Set) else [value]
    return {number for one in parts if (number := _number(one))}


def _number(node: ast.expr) -> int:
    """A number that an issue can have, otherwise 0."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) is int and 0 < value < 100_000_000 else 0


def _given_numbers(program: ast.Module) -> set[int]:
    """Numbers that are given to the program's own functions for an issue: `check_issue(200)`."""
    at = {
        node.name: [
            place
            for place, one in enumerate(node.args.args)
            if _ISSUE_NAME.search(one.arg) and not _AMOUNT.search(one.arg)
        ]
        for node in ast.walk(program)
        if isinstance(node, ast.FunctionDef)
    }
    found: set[int] = set()
    for name, call in _called(program):
        given = [call.args[place] for place in at.get(name, ()) if place < len(call.args)]
        given += [one.value for one in call.keywords if one.arg and name in at and _numbers(one.arg, one.value)]
        found |= {number for one in given if (number := _number(one))}
    return found


def _called(program: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(program):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node


def _known(program: ast.Module, settings: dict[str, object]) -> dict[str, object]:
    """The settings, a program's constants, and names anywhere in it that are only ever given one text."""
    constants = {**settings, **constants_of(program)}
    known, given = dict(constants), dict[str, set[str | None]]()
    for node in (node for node in ast.walk(program) if isinstance(node, ast.Assign)):
        text = _value(node.value, known) if isinstance(node.value, ast.Constant | ast.JoinedStr) else None
        for target in (target for target in node.targets if isinstance(target, ast.Name)):
            given.setdefault(target.id, set()).add(text)
            known.setdefault(target.id, text)
    return {name: value for name, value in known.items() if name in constants or len(given[name]) == 1}


def _value(node: ast.expr, known: dict[str, object]) -> str | None:
    value: object = None
    if isinstance(node, ast.Constant):
        value = node.value
    elif isinstance(node, ast.Name):
        value = known.get(node.id)
    elif isinstance(node, ast.JoinedStr):
        parts = [_value(one.value if isinstance(one, ast.FormattedValue) else one, known) for one in node.values]
        value = "".join(part for part in parts if part) if None not in parts else None
    if type(value) is int:
        value = str(value)
    return clean(value) or None if isinstance(value, str) else None
