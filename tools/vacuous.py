"""Finds tests that cannot fail. `python -m tools.vacuous` lists them; a test runs it over `tests/`.

A finding that is none is allowed by a comment on its line, `# can fail: HOW`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALLOWED = re.compile(r"# can fail: \S")
# Calls that fail by themselves when what they look at is not so.
ASSERTING = {"raises", "warns", "fail", "expect", "raise_for_status", "run_state_machine_as_test", "runTest"}
_PASSING_ON = {"list", "sorted", "set", "tuple", "enumerate", "zip", "reversed", "dict", "frozenset", "map", "filter"}
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, order=True)
class Finding:
    file: str
    line: int
    sentence: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.sentence}"


def findings(root: Path = ROOT) -> list[Finding]:
    """Everything under `tests/` that looks as if it could not fail."""
    trees = {path: ast.parse(path.read_bytes()) for path in sorted((root / "tests").rglob("*.py"))}
    asserting = _asserting_names(list(trees.values()))
    found: list[Finding] = []
    for path, tree in trees.items():
        file = str(path.relative_to(root))
        lines = path.read_text("utf-8").splitlines()
        for line, sentence in _in_file(file, tree, asserting):
            if not ALLOWED.search(lines[line - 1]):
                found.append(Finding(file, line, sentence))
    return sorted(found)


def _in_file(file: str, tree: ast.Module, asserting: set[str]) -> Iterator[tuple[int, str]]:
    constants = {
        _name(target)
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
    }
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTION) and node.name.startswith("test_") and Path(file).name.startswith("test_"):
            if not _asserts(node, asserting):
                yield node.lineno, "asserts nothing."
            yield from _over_nothing(node, constants)
            yield from _only_in_loops(node, constants, asserting)
        elif isinstance(node, ast.Assert) and _constant(node.test):
            yield node.lineno, "asserts what always holds."
        elif isinstance(node, ast.Try) and _swallows(node) and _asserts(node, asserting, own=True):
            yield node.lineno, "an assertion's failure is caught and dropped."
        elif isinstance(node, ast.With | ast.AsyncWith) and _suppresses(node) and _asserts(node, set(), own=True):
            yield node.lineno, "an assertion's failure is suppressed."
        elif isinstance(node, ast.Call) and (replaced := _replaced(file, node)):
            yield node.lineno, f"replaces {replaced}, which this file tests."


def _asserting_names(trees: list[ast.Module]) -> set[str]:
    """Functions and classes under `tests/` that assert, by themselves or through one another."""
    bodies: dict[str, list[ast.AST]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, (*_FUNCTION, ast.ClassDef)):
                bodies.setdefault(node.name, []).append(node)
    names = set(ASSERTING)
    while True:
        more = {
            name for name, nodes in bodies.items() if name not in names and any(_asserts(one, names) for one in nodes)
        }
        if not more:
            return names
        names |= more


def _asserts(node: ast.AST, names: set[str], *, own: bool = False) -> bool:
    """Whether there is an assertion in a piece of code; `own`: in the block that a `try` or `with` guards."""
    roots = node.body if own and isinstance(node, ast.Try | ast.With | ast.AsyncWith) else [node]
    for root in roots:
        for one in ast.walk(root):
            if isinstance(one, ast.Assert):
                return True
            if isinstance(one, ast.Call) and not own and (_name(one.func) in names or _fails_loudly(one)):
                return True
            if isinstance(one, ast.Raise) and one.exc is not None and _name(one.exc) == "AssertionError":
                return True
    return False


def _fails_loudly(call: ast.Call) -> bool:
    """`subprocess.run(…, check=True)` and its like."""
    return any(
        one.arg == "check" and isinstance(one.value, ast.Constant) and one.value.value is True for one in call.keywords
    )


def _constant(test: ast.expr) -> bool:
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_constant(value) for value in test.values)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq | ast.Is | ast.LtE | ast.GtE):
        sides = (test.left, test.comparators[0])
        same = ast.dump(sides[0]) == ast.dump(sides[1]) and not any(isinstance(one, ast.Call) for one in ast.walk(test))
        return same or all(isinstance(side, ast.Constant) for side in sides)
    return False


def _over_nothing(test: ast.FunctionDef | ast.AsyncFunctionDef, constants: set[str]) -> Iterator[tuple[int, str]]:
    """`assert all(…)` over something of which no other assertion of the test speaks: it holds for nothing at all."""
    asserts = [node for node in ast.walk(test) if isinstance(node, ast.Assert)]
    for node in asserts:
        for over in _all_over(node.test):
            source = _source(over)
            if source is None or source in constants or _literal(test, source):
                continue
            others = [one for one in asserts if one is not node]
            if not any(_speaks_of(one, source) for one in others) and not _size_in(node.test, source):
                yield node.lineno, f"`all(…)` over {source}, which nothing shows to hold anything."


def _only_in_loops(
    test: ast.FunctionDef | ast.AsyncFunctionDef, constants: set[str], asserting: set[str]
) -> Iterator[tuple[int, str]]:
    """A test whose only assertions stand in a loop over something that may hold nothing."""
    body: list[ast.stmt] = [one for one in test.body if _asserts(one, asserting)]
    if len(body) != 1 or not isinstance(body[0], ast.For):
        return
    loop = body[0]
    source = _source(loop.iter)
    parameters = {one.arg for one in (*test.args.args, *test.args.kwonlyargs)}
    if source is None or source in constants | parameters or source.isupper() or _literal(test, source):
        return
    yield loop.lineno, f"asserts only in a loop over {source}, which nothing shows to hold anything."


def _all_over(test: ast.expr) -> Iterator[ast.expr]:
    """What each `all(… for x in HERE)` of an assertion goes through."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if isinstance(part, ast.Call) and _name(part.func) == "all" and part.args:
            argument = part.args[0]
            if isinstance(argument, ast.GeneratorExp | ast.ListComp):
                yield argument.generators[0].iter


def _source(over: ast.expr) -> str | None:
    """The name of what is gone through, looking past calls and attributes; nothing for what is written out."""
    while True:
        if isinstance(over, ast.Call):
            if isinstance(over.func, ast.Attribute):
                over = over.func.value
            elif over.args and _name(over.func) in _PASSING_ON:
                over = over.args[0]
            else:
                return None
        elif isinstance(over, ast.Attribute) and over.attr.isupper():
            return None  # a constant of another module
        elif isinstance(over, ast.Attribute | ast.Subscript | ast.Await | ast.Starred):
            over = over.value
        else:
            return over.id if isinstance(over, ast.Name) else None


def _literal(test: ast.AST, name: str) -> bool:
    """Whether the name is given a collection that is written out with something in it."""
    for node in ast.walk(test):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is not None and any(target and _name(target) == name for target in targets) and _written_out(value):
            return True
    return False


def _written_out(value: ast.expr) -> bool:
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return bool(value.elts)
    if isinstance(value, ast.Dict):
        return bool(value.keys)
    if isinstance(value, ast.ListComp | ast.SetComp | ast.DictComp):
        return not value.generators[0].ifs and _written_out(value.generators[0].iter)
    return isinstance(value, ast.Call) and _name(value.func) == "range"


def _speaks_of(node: ast.Assert, name: str) -> bool:
    """Whether another assertion fails when the thing is empty: it looks at it, and not by `all` again."""
    if any(_source(over) == name for over in _all_over(node.test)):
        return False
    if isinstance(node.test, ast.UnaryOp):
        return False
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node.test))


def _size_in(test: ast.expr, name: str) -> bool:
    """Whether the same assertion also asks for the thing itself: `assert found and all(…)`."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else []
    return any(
        any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(part))
        for part in parts
        if not list(_all_over(part))
    )


def _swallows(node: ast.Try) -> bool:
    for handler in node.handlers:
        wide = handler.type is None or _name(handler.type) in {"Exception", "BaseException", "AssertionError"}
        if wide and all(isinstance(one, ast.Pass | ast.Continue) for one in handler.body):
            return True
    return False


def _suppresses(node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        call = item.context_expr
        if isinstance(call, ast.Call) and _name(call.func) == "suppress":
            return any(_name(one) in {"Exception", "BaseException", "AssertionError"} for one in call.args)
    return False


def _replaced(file: str, call: ast.Call) -> str:
    """What of the module under test a patch replaces: the module that the test file is named after."""
    subject = Path(file).stem.removeprefix("test_")
    if _name(call.func) in {"setattr", "patch", "object"} and call.args:
        target = call.args[0]
        if isinstance(target, ast.Constant) and isinstance(target.value, str):
            parts = target.value.split(".")
            return target.value if parts[0] == "dayjob" and subject in parts[-2:-1] else ""
        if isinstance(target, ast.Name) and target.id == subject and len(call.args) > 1:
            attribute = call.args[1]
            named = str(attribute.value) if isinstance(attribute, ast.Constant) else ""
            return "" if named.isupper() else f"{subject}.{named}"  # a limit may be set lower
    return "something by a mock" if _name(call.func) in {"Mock", "MagicMock", "AsyncMock", "create_autospec"} else ""


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Call):
        return _name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


if __name__ == "__main__":
    left = findings()
    print("\n".join(str(one) for one in left))
    sys.exit(bool(left))
