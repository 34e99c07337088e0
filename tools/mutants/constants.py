"""Values that are a little wrong: numbers, flags and strings, elements that go missing, keyword arguments left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from tools.mutants import sql
from tools.mutants.mutant import Edit
from tools.mutants.skipped import COSMETIC, prose
from tools.mutants.source import Source


def values(source: Source, node: ast.Constant) -> Iterator[Edit]:
    start, end = source.span(node)
    value = node.value
    if isinstance(value, bool):
        yield Edit(start, end, str(not value).encode(), "flag")
    elif isinstance(value, int):
        yield Edit(start, end, str(value + 1).encode(), "number")
        if value > 0:
            yield Edit(start, end, str(value - 1).encode(), "number")
    elif isinstance(value, float):
        yield Edit(start, end, repr(value * 2 if value else 1.0).encode(), "number")
    elif isinstance(value, str) and _a_value(source, node) and not prose(value) and not sql.is_sql(value):
        text = source.text[start:end]
        if text[-1:] in b"\"'" and text.count(text[-1:]) == 2:
            yield Edit(end - 1, end - 1, b"X", "string")


def _a_value(source: Source, node: ast.Constant) -> bool:
    """Compared, looked up, passed on or kept: not a docstring, and not a key whose loss any use would show."""
    above = source.parent.get(node)
    if isinstance(above, ast.Expr | ast.Subscript | ast.FormattedValue | ast.JoinedStr):
        return False
    return not (isinstance(above, ast.Call) and above.args[:2] and node in above.args[1:2] and _attribute_call(above))


def _attribute_call(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in {"getattr", "setattr", "hasattr"}


def elements(source: Source, node: ast.Set | ast.Tuple | ast.List | ast.Dict) -> Iterator[Edit]:
    """One element less, of a collection that states a rule: a constant, what `in` looks through, a table."""
    if isinstance(node, ast.Dict):
        pairs = [
            (source.span(key)[0], source.span(value)[1])
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        ]
        if len(pairs) == len(node.keys) and len(pairs) > 1 and _states_a_rule(source, node):
            yield from _dropped(source, pairs, "element dropped")
        return
    if len(node.elts) < 2 or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    if _states_a_rule(source, node) and all(_simple(one) for one in node.elts):
        spans = [source.span(one) for one in node.elts]
        if isinstance(node, ast.Tuple) and len(spans) == 2:  # one element is a tuple by its comma alone
            for start, end in spans:
                yield Edit(spans[0][0], spans[1][1], source.text[start:end] + b",", "element dropped")
        else:
            yield from _dropped(source, spans, "element dropped")


def _simple(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.Name | ast.Attribute | ast.Starred | ast.Tuple)


def _states_a_rule(source: Source, node: ast.expr) -> bool:
    above = source.parent.get(node)
    if isinstance(above, ast.Call):  # frozenset({...})
        if not (isinstance(above.func, ast.Name) and above.func.id in {"frozenset", "set", "tuple"}):
            return False
        above = source.parent.get(above)
    if isinstance(above, ast.Compare):
        return node is not above.left
    if isinstance(above, ast.Assign | ast.AnnAssign):
        targets = above.targets if isinstance(above, ast.Assign) else [above.target]
        return all(isinstance(target, ast.Name) and target.id.isupper() for target in targets)
    return isinstance(above, ast.Set)


def keywords(source: Source, node: ast.Call) -> Iterator[Edit]:
    """A keyword argument left out, so that its default holds."""
    named = [one for one in node.keywords if one.arg is not None]
    spans = sorted([*(source.span(one) for one in node.args), *(source.span(one) for one in node.keywords)])
    for edit, span in zip(_dropped(source, spans, "keyword dropped"), spans, strict=True):
        if any(source.span(one) == span and one.arg not in COSMETIC for one in named):
            yield edit


def _dropped(source: Source, spans: Sequence[tuple[int, int]], kind: str) -> Iterator[Edit]:
    """Each of several things between commas, taken out with one comma."""
    for index, (start, end) in enumerate(spans):
        if index:
            yield Edit(spans[index - 1][1], end, b"", kind)
        elif len(spans) > 1:
            yield Edit(start, spans[1][0], b"", kind)
        else:
            yield Edit(start, end, b"", kind)
