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
_RELEASES = re.compile(r"(?:^|/)releases(?:$|[/?])")
_CLOCK = {"now", "utcnow", "today"}
_ASKS_ACCOUNT = {
    "users_info",
    "users_get_presence",
    "channels_add_owner",
    "channels_add_moderator",
    "channels_add_leader",
}


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
    milestones: set[str] = field(default_factory=set)
    """Titles of milestones that it searches a forge project for."""
    made_milestones: set[str] = field(default_factory=set)
    """Those that it makes itself."""
    releases: bool = False
    """It asks a forge project for its releases."""
    accounts: set[str] = field(default_factory=set)
    """Usernames and names that it asks the chat for."""
    makes_accounts: bool = False
    documents: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)


def read_program(program: ast.Module, settings: dict[str, object]) -> Asked:
    found = Asked()
    known = _known(program, settings)
    for node in ast.walk(program):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            _call(found, node.func.id, node, known)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found.makes_accounts |= node.func.attr == "users_create"
            if node.func.attr in _ASKS_ACCOUNT:
                found.accounts |= {
                    text for one in node.keywords if one.arg == "username" for text in _texts(one.value, known)
                }
        if isinstance(node, ast.Attribute) and node.attr in _CLOCK:
            found.asks_clock = True
        elif isinstance(node, ast.Constant | ast.JoinedStr) and (text := _value(node, known)):
            found.issues |= {int(number) for number in _ISSUE_PATH.findall(text) if int(number)}
            found.running_cycles |= bool(_CYCLES.search(text))
            found.releases |= _RELEASES.search(text) is not None
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
        case (
            "get_rocketchat_personal_chat_history" | "evaluate_chat_history_with_llm" | "num_rocketchat_users_contacted"
        ):
            given = [one.value for one in call.keywords if one.arg in ("username", "users")]
            found.accounts |= {text for one in [*call.args[1:2], *given] for text in _texts(one, known)}
        case "check_file_in_owncloud_directory" | "get_binary_file_content_owncloud" if second:
            found.folders.add(unquote(second))
            if first and "/" not in first:
                found.documents.add(f"{unquote(second).strip('/')}/{unquote(first)}")
        case "get_gitlab_project_id" if first and _NAME.fullmatch(first):
            found.projects.add(f"root/{first}")
        case "make_gitlab_request" if first and _NAME.fullmatch(unquote(first).partition("/")[2]):
            found.projects.add(unquote(first))
    if name == "make_gitlab_request":
        if "issues" in values:
            found.titles |= _parameters(call, "search", known)
        if "milestones" in values:
            found.milestones |= _parameters(call, "search", known) | _parameters(call, "title", known)
            if "POST" in values:
                found.made_milestones |= _parameters(call, "title", known)


def _parameters(call: ast.Call, name: str, known: dict[str, object]) -> set[str]:
    """What a request is given for a parameter: `params={"search": "Old mast"}`."""
    dicts = [one.value for one in call.keywords if isinstance(one.value, ast.Dict)]
    pairs = [pair for one in dicts for pair in zip(one.keys, one.values, strict=True)]
    return {text for key, value in pairs if key and _value(key, known) == name and (text := _value(value, known))}


def _texts(node: ast.expr, known: dict[str, object]) -> set[str]:
    """A text, or those of a list, written there or in a constant."""
    value = known.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(value, list | tuple):
        return {clean(one) for one in value if isinstance(one, str) and clean(one)}
    parts = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
    return {text for one in parts if (text := _value(one, known))}


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
