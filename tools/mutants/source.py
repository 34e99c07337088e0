"""A source file as operators see it: its tree with parents, and the bytes that each node stands for."""

from __future__ import annotations

import ast
from functools import cached_property

Span = tuple[int, int]


class Source:
    """Positions are byte offsets, because that is what `ast` counts in."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.text = text
        self.tree = ast.parse(text)
        self.parent: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parent[child] = node

    @cached_property
    def _lines(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def at(self, line: int, column: int) -> int:
        return self._lines[line - 1] + column

    def span(self, node: ast.expr | ast.stmt | ast.keyword | ast.excepthandler) -> Span:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def bytes_of(self, node: ast.expr | ast.stmt | ast.keyword) -> bytes:
        start, end = self.span(node)
        return self.text[start:end]

    def ancestors(self, node: ast.AST) -> list[ast.AST]:
        found = []
        while (above := self.parent.get(node)) is not None:
            found.append(above)
            node = above
        return found

    def function_of(self, node: ast.AST) -> str:
        """The dotted name of the function a node runs in, or nothing for what runs at import (defaults too)."""
        names: list[str] = []
        inside = False
        below = node
        for above in self.ancestors(node):
            if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
                if below in above.body:
                    inside = True
                    names.append(above.name)
            elif isinstance(above, ast.ClassDef):
                names.append(above.name)
            below = above
        return ".".join(reversed(names)) if inside else ""

    def statement_lines(self, node: ast.AST) -> tuple[int, int]:
        """First and last line of the statement a node belongs to; of a compound statement, its header."""
        chain = [node, *self.ancestors(node)]
        statement = next(one for one in chain if isinstance(one, ast.stmt | ast.excepthandler | ast.match_case))
        if isinstance(statement, ast.match_case):
            return statement.pattern.lineno, statement.pattern.end_lineno or statement.pattern.lineno
        body = getattr(statement, "body", None)
        last = statement.end_lineno or statement.lineno
        if isinstance(body, list) and body:
            last = max(statement.lineno, body[0].lineno - 1)
        return statement.lineno, last
