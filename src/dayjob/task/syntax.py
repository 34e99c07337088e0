"""Questions about Python's syntax trees that say nothing about tasks yet: names, calls, paths through a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef

_TEXT_METHODS = {"lower", "upper", "strip", "split", "splitlines", "find", "count", "startswith", "endswith", "replace"}


def dotted(node: ast.expr) -> str:
    """`a.b.c` as text; empty for anything that is not plain names and dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return f".{parts[0]}" if parts else ""
    return ".".join([node.id, *reversed(parts)])


def points_of(node: ast.expr | None) -> ast.expr | None:
    """The number in `Points(number, "why")`; anything else as it is."""
    if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "Points":
        return argument(node, 0, "points")
    return node


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    if len(call.args) > position and not any(isinstance(each, ast.Starred) for each in call.args):
        return call.args[position]
    return next((each.value for each in call.keywords if each.arg == name), None)


def outside_try(statements: list[ast.stmt]) -> Iterator[ast.Call]:
    """Every call that no handler of this function stands behind; nested functions are their own business."""
    pending: list[ast.AST] = list(reversed(statements))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Try):
            guarded = bool(node.handlers)
            pending += [*node.finalbody, *node.orelse, *(part for each in node.handlers for part in each.body)]
            if not guarded:
                pending += node.body
            continue
        if isinstance(node, ast.Call):
            yield node
        pending += reversed(list(ast.iter_child_nodes(node)))


def ends(statements: list[ast.stmt]) -> bool:
    """Does every path through these statements return?"""
    last = statements[-1] if statements else None
    if isinstance(last, ast.Return):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.Try):
        return ends(last.finalbody) or (
            (ends(last.body) or ends(last.orelse)) and all(ends(handler.body) for handler in last.handlers)
        )
    if isinstance(last, ast.With):
        return ends(last.body)
    return False


def reads_only_trajectory(function: Function) -> bool:
    arguments = function.args
    names = {each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    if names != {"trajectory"} or not any(
        isinstance(node, ast.Name) and node.id == "trajectory" for node in ast.walk(function)
    ):
        return False
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            head = name.partition(".")[0]
            textual = name in {"any", "all", "len", "str", "bool", "int", "print", "set", "sum", "sorted", "list"}
            if not (textual or head in ("", "re", "trajectory", "logging", "log", "logger", "json")):
                receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
                if not (isinstance(receiver, ast.Name) and name.rpartition(".")[2] in _TEXT_METHODS):
                    return False
    return True
