"""What is not worth a mutant: annotations, docstrings, messages and other text that no rule rests on."""

from __future__ import annotations

import ast

from tools.mutants.source import Source

# Calls whose arguments are for a reader, or for the type checker.
READERS = {
    *("print", "echo", "secho", "debug", "info", "warning", "error", "exception", "critical", "log", "warn"),
    *("TypeVar", "NewType", "cast", "ParamSpec", "TypeAlias", "getLogger", "help"),
}
# Keyword arguments that are text for a reader, or that change nothing a test could see.
COSMETIC = {
    *("help", "description", "title", "message", "msg", "reason", "hint", "metavar", "short_help", "epilog", "label"),
    *("slots", "frozen", "encoding", "stacklevel", "kw_only", "repr", "name", "daemon", "detail", "errors", "indent"),
}


def skipped(source: Source, node: ast.AST) -> bool:
    """Whether a node lies in something that is never mutated."""
    if _for_types(node):
        return True
    below = node
    for above in source.ancestors(node):
        if _annotation(above, below) or _for_types(above) or _message(above, below):
            return True
        below = above
    return False


def _annotation(above: ast.AST, below: ast.AST) -> bool:
    if isinstance(above, ast.AnnAssign | ast.arg):
        return below is above.annotation
    if isinstance(above, ast.FunctionDef | ast.AsyncFunctionDef):
        return below is above.returns or (below in above.decorator_list and _name(below) == "dataclass")
    if isinstance(above, ast.ClassDef):
        return below in above.bases or (below in above.decorator_list and _name(below) == "dataclass")
    if isinstance(above, ast.Subscript) and below is above.slice:
        return _name(above.value) in {"Literal", "Annotated", "Callable", "Iterator", "dict", "list", "tuple", "type"}
    return False


def _for_types(above: ast.AST) -> bool:
    if isinstance(above, ast.If):
        test = above.test
        if _name(test) == "TYPE_CHECKING":
            return True
        return isinstance(test, ast.Compare) and _name(test.left) == "__name__"
    if isinstance(above, ast.Assign):
        return any(_name(target) in {"__all__", "__slots__", "__version__"} for target in above.targets)
    if isinstance(above, ast.FunctionDef):
        return above.name in {"__repr__", "__str__"} or any(_name(one) == "overload" for one in above.decorator_list)
    return isinstance(above, ast.TypeAlias) if hasattr(ast, "TypeAlias") else False


def _message(above: ast.AST, below: ast.AST) -> bool:
    if isinstance(above, ast.Raise):
        return isinstance(below, ast.Call) or below is above.cause
    if isinstance(above, ast.Assert):
        return below is above.msg
    if isinstance(above, ast.Call):
        return _name(above.func) in READERS
    if isinstance(above, ast.keyword):
        return above.arg in COSMETIC
    return isinstance(above, ast.JoinedStr)


def prose(text: str) -> bool:
    """Whether a string is words for a reader or a scrap of a page rather than a value."""
    return len(text.split()) >= 2 or "<" in text or "\n" in text


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def call_name(node: ast.AST) -> str:
    """The last part of the name a node calls or stands for."""
    return _name(node)
