"""Statements that go missing: a guard, a raise, a call made for what it does; and a sum that counts the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.mutants.mutant import Edit
from tools.mutants.skipped import READERS, call_name
from tools.mutants.source import Source

_AUGMENTED: dict[type[ast.operator], tuple[bytes, bytes]] = {
    ast.Add: (b"+=", b"-="),
    ast.Sub: (b"-=", b"+="),
    ast.BitOr: (b"|=", b"&="),
    ast.Mult: (b"*=", b"/="),
}


def edits(source: Source, node: ast.stmt) -> Iterator[Edit]:
    if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1 and _leaves(node.body[0]):
        if not isinstance(source.parent.get(node), ast.If) or _first_in_line(source, node):
            yield Edit(*source.span(node), b"pass", "guard removed")
    elif isinstance(node, ast.Raise | ast.Continue | ast.Break):
        if not _alone_in_guard(source, node):
            yield Edit(*source.span(node), b"pass", "guard removed")
    elif isinstance(node, ast.Expr) and _acts(node.value):
        yield Edit(*source.span(node), b"pass", "call removed")
    elif isinstance(node, ast.AugAssign) and type(node.op) in _AUGMENTED:
        token, new = _AUGMENTED[type(node.op)]
        begin, end = source.span(node.target)[1], source.span(node.value)[0]
        at = source.text.find(token, begin, end)
        if at >= 0:
            yield Edit(at, at + len(token), new, "arithmetic")
    elif isinstance(node, ast.Delete):
        yield Edit(*source.span(node), b"pass", "call removed")


def _leaves(node: ast.stmt) -> bool:
    return isinstance(node, ast.Raise | ast.Return | ast.Continue | ast.Break)


def _first_in_line(source: Source, node: ast.stmt) -> bool:
    """Not an `elif`: that one has no place of its own to be removed from."""
    start, _ = source.span(node)
    return source.text[start : start + 2] == b"if"


def _alone_in_guard(source: Source, node: ast.stmt) -> bool:
    above = source.parent.get(node)
    return isinstance(above, ast.If) and not above.orelse and above.body == [node]


def _acts(value: ast.expr) -> bool:
    called = value.value if isinstance(value, ast.Await) else value
    return isinstance(called, ast.Call) and call_name(called) not in READERS
