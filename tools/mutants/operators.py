"""Every mutant of a source file: its tree is walked once, and each operator says which edits it would make there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.mutants import constants, sql, statements
from tools.mutants.mutant import Edit, Mutant
from tools.mutants.skipped import skipped
from tools.mutants.source import Source

COMPARISONS: dict[type[ast.cmpop], tuple[bytes, bytes]] = {
    ast.Lt: (rb"<", b"<="),
    ast.LtE: (rb"<=", b"<"),
    ast.Gt: (rb">", b">="),
    ast.GtE: (rb">=", b">"),
    ast.Eq: (rb"==", b"!="),
    ast.NotEq: (rb"!=", b"=="),
    ast.In: (rb"\bin\b", b"not in"),
    ast.NotIn: (rb"\bnot\s+in\b", b"in"),
    ast.Is: (rb"\bis\b", b"is not"),
    ast.IsNot: (rb"\bis\s+not\b", b"is"),
}
ARITHMETIC: dict[type[ast.operator], tuple[bytes, bytes]] = {
    ast.Add: (rb"\+", b"-"),
    ast.Sub: (rb"-", b"+"),
    ast.Mult: (rb"\*", b"/"),
    ast.Div: (rb"/", b"*"),
    ast.FloorDiv: (rb"//", b"/"),
    ast.Mod: (rb"%", b"*"),
    ast.BitOr: (rb"\|", b"&"),
    ast.BitAnd: (rb"&", b"|"),
    ast.LShift: (rb"<<", b">>"),
    ast.RShift: (rb">>", b"<<"),
}


def mutants_of(path: str, text: bytes) -> list[Mutant]:
    """All of them, in the order of the file, no edit twice. A few may not compile: `Mutant.compiles` tells."""
    source = Source(path, text)
    found: dict[tuple[int, int, bytes], Mutant] = {}
    for node in ast.walk(source.tree):
        if skipped(source, node):
            continue
        first, last = (0, 0)
        for edit in _edits(source, node):
            if not first:
                first, last = source.statement_lines(node)
            if text[edit.start : edit.end] != edit.new:
                place = (edit.start, edit.end, edit.new)
                found.setdefault(place, Mutant(path, source.function_of(node), first, last, edit, text))
    return [found[place] for place in sorted(found)]


def _edits(source: Source, node: ast.AST) -> Iterator[Edit]:
    if isinstance(node, ast.Compare):
        yield from _comparison(source, node)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(source, node)
    elif isinstance(node, ast.BinOp):
        yield from _arithmetic(source, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        start, _ = source.span(node)
        yield Edit(start, source.span(node.operand)[0], b"", "not dropped")
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield from _negated(source, node.test)
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield Edit(*source.span(test), b"True", "filter dropped")
    elif isinstance(node, ast.Constant | ast.JoinedStr):
        yield from sql.edits(source, node)
        if isinstance(node, ast.Constant):
            yield from constants.values(source, node)
    elif isinstance(node, ast.Set | ast.Tuple | ast.List | ast.Dict):
        yield from constants.elements(source, node)
    elif isinstance(node, ast.Call):
        yield from constants.keywords(source, node)
    if isinstance(node, ast.stmt):
        yield from statements.edits(source, node)


def _comparison(source: Source, node: ast.Compare) -> Iterator[Edit]:
    left: ast.expr = node.left
    for op, right in zip(node.ops, node.comparators, strict=True):
        token, new = COMPARISONS[type(op)]
        yield from _token(source, left, right, token, new, "comparison")
        left = right


def _boolean(source: Source, node: ast.BoolOp) -> Iterator[Edit]:
    token, new = (rb"\band\b", b"or") if isinstance(node.op, ast.And) else (rb"\bor\b", b"and")
    swapped = source.bytes_of(node)
    begin, end = source.span(node)
    for left, right in reversed(list(zip(node.values, node.values[1:], strict=False))):
        for edit in _token(source, left, right, token, new, "and/or"):
            swapped = swapped[: edit.start - begin] + edit.new + swapped[edit.end - begin :]
    # In brackets: an `or` that becomes `and` would otherwise bind to what stands beside it.
    yield Edit(begin, end, b"(" + swapped + b")", "and/or")
    if len(node.values) == 2:
        for value in node.values:
            yield Edit(begin, end, b"(" + source.bytes_of(value) + b")", "operand dropped")
        return
    neutral = b"True" if isinstance(node.op, ast.And) else b"False"
    for value in node.values:
        yield Edit(*source.span(value), neutral, "operand dropped")


def _arithmetic(source: Source, node: ast.BinOp) -> Iterator[Edit]:
    if isinstance(node.op, ast.Pow | ast.MatMult | ast.BitXor):
        return
    if any(isinstance(side, ast.JoinedStr) or _text(side) for side in (node.left, node.right)):
        return
    token, new = ARITHMETIC[type(node.op)]
    yield from _token(source, node.left, node.right, token, new, "arithmetic")


def _negated(source: Source, test: ast.expr) -> Iterator[Edit]:
    if isinstance(test, ast.UnaryOp | ast.Compare):
        return  # their own operators say the same
    start, end = source.span(test)
    yield Edit(start, end, b"not (" + source.text[start:end] + b")", "condition negated")


def _token(source: Source, left: ast.expr, right: ast.expr, token: bytes, new: bytes, kind: str) -> Iterator[Edit]:
    """The operator between two operands, wherever brackets and line ends put it."""
    begin, end = source.span(left)[1], source.span(right)[0]
    if found := re.search(token, source.text[begin:end]):
        yield Edit(begin + found.start(), begin + found.end(), new, kind)


def _text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
