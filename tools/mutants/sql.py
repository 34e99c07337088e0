"""SQL that says a little less: a condition that always holds, a boundary moved, an order turned, a constraint gone.

A condition keeps its parameters (`AND (… OR 1)`), so that the statement still runs and only its sense is lost. The text
is edited line by line as it stands in the file; a condition that goes on in the next line is left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tools.mutants.mutant import Edit
from tools.mutants.source import Source

_SQL = re.compile(
    r"\b(SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|CREATE (UNIQUE )?(TABLE|INDEX|TRIGGER)|WHERE|JOIN|EXISTS"
    r"|IS NULL|IS NOT NULL|ORDER BY|NOT IN)\b|\b(AND|OR)\b.*[=<>?]|=\s*\?"
)
_SWAPS: tuple[tuple[str, bytes], ...] = (
    (r"(?<![<>=!-])<(?![<>=])", b"<="),
    (r"<=", b"<"),
    (r"(?<![<>=!-])>(?![<>=])", b">="),
    (r">=", b">"),
    (r"!=|<>", b"="),
    (r"\bIS NULL\b", b"IS NOT NULL"),
    (r"\bIS NOT NULL\b", b"IS NULL"),
    (r"\bNOT EXISTS\b", b"EXISTS"),
    (r"\bNOT IN\b", b"IN"),
    (r" DESC\b", b""),
    (r"\bLEFT JOIN\b", b"JOIN"),
    (r"\bDISTINCT\b", b""),
    (r"\bmax\(", b"min("),
    (r"\bmin\(", b"max("),
    (r" ON DELETE CASCADE\b", b""),
    (r"\bUNIQUE\b(?! INDEX| \()", b""),
    (r"\bCREATE UNIQUE INDEX\b", b"CREATE INDEX"),
    (r" COLLATE NOCASE\b", b""),
)
_LINK = re.compile(r"\b(WHERE|AND|OR|ON)\s+(?!CONFLICT|DELETE|UPDATE)")
_STOP = re.compile(r"\s*\b(AND|OR|ORDER BY|GROUP BY|LIMIT|UNION|RETURNING|ON CONFLICT|DO|SET|WHERE|JOIN|LEFT)\b|;")
_UNFINISHED = re.compile(r"([=<>(,|+-]|\b(IN|LIKE|GLOB|IS|NOT|EXISTS|BETWEEN))$")


def is_sql(text: str) -> bool:
    return bool(_SQL.search(text))


def edits(source: Source, node: ast.Constant | ast.JoinedStr) -> Iterator[Edit]:
    if isinstance(node, ast.Constant) and not isinstance(node.value, str):
        return
    if isinstance(source.parent.get(node), ast.Expr | ast.JoinedStr | ast.FormattedValue):
        return
    start, end = source.span(node)
    text = source.text[start:end].decode("utf-8")
    if not is_sql(text):
        return
    at = start
    for line in text.splitlines(keepends=True):
        for begin, stop, new in _line_edits(line):
            left, right = len(line[:begin].encode()), len(line[:stop].encode())
            yield Edit(at + left, at + right, new, "SQL")
        at += len(line.encode())


def _line_edits(line: str) -> Iterator[tuple[int, int, bytes]]:
    for pattern, new in _SWAPS:
        for found in re.finditer(pattern, line):
            yield found.start(), found.end(), new
    for link in _LINK.finditer(line):
        end = _clause_end(line, link.end())
        clause = line[link.end() : end]
        if end is None or not clause or _UNFINISHED.search(clause):
            continue
        if link[1] == "AND" and re.search(r"\bBETWEEN\b[^()]*$", line[: link.start()]):
            continue
        wrapped = f"({clause} AND 0)" if link[1] == "OR" else f"({clause} OR 1)"
        yield link.end(), end, wrapped.encode()


def _clause_end(line: str, start: int) -> int | None:
    """Where a condition ends: at the next link, at a bracket that closes one before it, or with its line."""
    depth = 0
    at = start
    while at < len(line):
        sign = line[at]
        if depth == 0 and (sign in ')"\n' or _STOP.match(line, at)):
            break
        if sign == '"' or (sign == "\n" and depth):
            return None
        depth += (sign in "({[") - (sign in ")}]")
        at += 1
    if depth:
        return None
    return start + len(line[start:at].rstrip())
