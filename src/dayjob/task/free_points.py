"""Points for nothing, as far as reading an evaluator can tell: results that the examinee has no part in.

A conservative reading. A call that is not known to be harmless may look at the examinee's work, or raise because of it;
what rests on one is never told of here.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice

from dayjob.task.evaluator import Evaluator, Place
from dayjob.task.syntax import Function, argument, dotted, ends, outside_try, points_of

_LOGGING = ("logging", "logger", "log")
# Calls that look at nothing but what they are given.
_PURE = frozenset({
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "format", "int", "isinstance", "len", "list", "max",
    "min", "Points", "print", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip",
})  # fmt: skip
# Calls that do not fail because of anything an examinee did.
_NEVER_RAISING = frozenset({
    "bool", "float", "format", "int", "isinstance", "len", "Points", "print", "range", "repr", "str", "Path",
    "pathlib.Path", "accessed", "changes", "os.getenv", "os.path.join",
})  # fmt: skip
_NEVER_RAISING_ENDS = (".exists", ".isfile", ".isdir", ".is_file", ".is_dir")
_OF_TEXT = frozenset({
    "casefold", "count", "endswith", "find", "format", "index", "join", "lower", "lstrip", "replace", "rstrip", "split",
    "splitlines", "startswith", "strip", "title", "upper",
})  # fmt: skip
_LOOKING = frozenset({"get", "items", "keys", "values"})
_PURE_MODULES = ("re.", "math.", "json.loads", "json.dumps")
_THROUGH = frozenset({"int", "bool", "float", "abs", "round"})
_TRAJECTORY = re.compile(r"(?:trajectory|traj|logs|(?:browser|agent)_?(?:logs?|history|actions?))(?:_?(?:text|str))?")
_SETTING = re.compile(r"[A-Z][A-Z0-9_]*")
# Where the reading of what a check looks at ends.
_NOT_FOLLOWED = (
    ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Await, ast.With, ast.Try, ast.Lambda, ast.FunctionDef,
    ast.AsyncFunctionDef, ast.ClassDef,
)  # fmt: skip


class FreePoints:
    """What one evaluator gives away."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.functions = evaluator.functions
        self._passing: dict[int, bool] = {}
        self._blind: dict[str, bool] = {}

    @cached_property
    def checks(self) -> list[Function]:
        """The functions that decide about points, each once."""
        found = {id(one): one for one in [*self.evaluator.graded, *self.evaluator.verdicts]}
        return [one for one in found.values() if one is not self.evaluator.grade_checkpoints]

    @cached_property
    def cannot_fail(self) -> list[Place]:
        """Checks that can only give points, and checkpoints that are made with them."""
        found = [Place(one.name, one.lineno) for one in self.checks if self.always_passes(one)]
        function = self.evaluator.grade_checkpoints
        if function is None:
            return found
        names = _always_points(function, lambda value: isinstance(value, ast.Constant) and bool(value.value))
        for node in function.body:
            if isinstance(node, ast.If | ast.Try | ast.For | ast.While):
                continue
            for call in self.evaluator.checkpoint_calls(node):
                if _is_point(_inside(argument(call, 1, "result")), names):
                    found.append(Place("Checkpoint", call.lineno))
        return found

    def always_passes(self, function: Function) -> bool:
        """Every way through it ends with points, and nothing that the examinee does can stop it on the way."""
        if id(function) not in self._passing:
            self._passing[id(function)] = False  # as far as it is known while it is found out
            self._passing[id(function)] = self._passes(function)
        return self._passing[id(function)]

    def _passes(self, function: Function) -> bool:
        nodes = list(_own(function))
        returns = [node for node in nodes if isinstance(node, ast.Return)]
        names = _always_points(function, lambda value: self._gives_points(value, frozenset()))
        if not returns or not all(self._gives_points(each.value, names) for each in returns):
            return False
        if any(isinstance(node, ast.Assert | ast.Raise) for node in nodes):
            return False
        if not all(self._cannot_raise(call) for call in outside_try(function.body)):
            return False
        guarded = any(isinstance(node, ast.Try) for node in nodes)
        risky = any(isinstance(node, self._risky) for node in nodes)
        # Without a plain return at the end, falling off it is a None, which counts as failed.
        return ends(function.body) and (guarded or not risky)

    @cached_property
    def _risky(self) -> tuple[type[ast.AST], ...]:
        """What fails because of the examinee without being a call: an import only where its files can be imported."""
        paths = (node for node in ast.walk(self.evaluator.tree) if isinstance(node, ast.Attribute))
        theirs = any(dotted(node) == "sys.path" for node in paths)
        return (ast.Subscript, ast.Import, ast.ImportFrom) if theirs else (ast.Subscript,)

    def _gives_points(self, value: ast.expr | None, names: frozenset[str]) -> bool:
        value = points_of(value)
        match value:
            case ast.IfExp(body=one, orelse=other):
                return self._gives_points(one, names) and self._gives_points(other, names)
            case ast.BoolOp(op=ast.Or(), values=values):
                return any(self._gives_points(each, names) for each in values)
            case ast.BoolOp(op=ast.And(), values=values):
                return all(self._gives_points(each, names) for each in values)
            case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in _THROUGH:
                return self._gives_points(only, names)
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return self.always_passes(self.functions[name])
        return _is_point(value, names)

    def _cannot_raise(self, call: ast.Call) -> bool:
        name = dotted(call.func)
        if name in _NEVER_RAISING or name.partition(".")[0] in _LOGGING:
            return True
        if name in self.functions:
            return self.always_passes(self.functions[name])
        return name.endswith(_NEVER_RAISING_ENDS)

    @cached_property
    def same_both_ways(self) -> list[Place]:
        """Conditions of checks whose two sides give the same points."""
        told = {place.name for place in self.cannot_fail}
        found = []
        for function in self.checks:
            if function.name in told:
                continue
            for node, other in _conditions(function):
                one = _given(node.body) if isinstance(node, ast.If) else _constant(node.body)
                if one is not None and one.value and other is not None and one.value == other.value:
                    found.append(Place(function.name, node.lineno))
        return found

    @cached_property
    def literal_trajectories(self) -> list[Place]:
        """Calls that give a check a text of the evaluator's own where the trajectory belongs."""
        found = []
        for holder in self.functions.values():
            own_texts = _Texts(self.evaluator.constants, holder)
            for call in (node for node in _own(holder) if isinstance(node, ast.Call)):
                called = self.functions.get(dotted(call.func))
                if called is None or called is holder:
                    continue
                for position, parameter in enumerate(called.args.args):
                    given = argument(call, position, parameter.arg)
                    if given is not None and _TRAJECTORY.fullmatch(parameter.arg.lower()) and own_texts.is_own(given):
                        found.append(Place(called.name, call.lineno))
        return found

    @cached_property
    def without_evidence(self) -> list[Place]:
        """Checks that can come out both ways as they are written, and look at nothing an examinee could have done."""
        told = {place.name for place in [*self.cannot_fail, *self.literal_trajectories]}
        return [
            Place(one.name, one.lineno)
            for one in self.checks
            if one.name not in told and _may_give(one) and self._reads_nothing(one)
        ]

    def _reads_nothing(self, function: Function) -> bool:
        if function.name not in self._blind:
            self._blind[function.name] = False  # as far as it is known while it is found out
            self._blind[function.name] = self._is_blind(function)
        return self._blind[function.name]

    def _is_blind(self, function: Function) -> bool:
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        if arguments.vararg or arguments.kwarg or not all(self._is_told(function, one.arg) for one in parameters):
            return False
        known = {one.arg for one in parameters} | _bound(function) | self._plain_constants
        for node in _own(function):
            if isinstance(node, _NOT_FOLLOWED):
                return False
            if isinstance(node, ast.Call) and not self._is_pure(node):
                return False
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not self._is_plain(node.id, known):
                return False
        return True

    def _is_plain(self, name: str, known: set[str]) -> bool:
        return name in known or name in self.functions or name in _PURE or name in ("re", "math", "json", *_LOGGING)

    def _is_pure(self, call: ast.Call) -> bool:
        name = dotted(call.func)
        if name in self.functions:
            return self._reads_nothing(self.functions[name])
        if name in _PURE or name.partition(".")[0] in _LOGGING or name.startswith(_PURE_MODULES):
            return True
        return isinstance(call.func, ast.Attribute) and call.func.attr in _OF_TEXT

    @cached_property
    def _plain_constants(self) -> set[str]:
        """Names of the module that hold nothing but what is written there, from beginning to end."""
        written = {
            name
            for name, value in self.evaluator.constants.items()
            if all(_is_written(part) for part in ast.walk(value))
        }
        return written - self._changed

    @cached_property
    def _changed(self) -> set[str]:
        """Names whose content may be changed in place, or that a function may give another."""
        found: set[str] = set()
        for node in ast.walk(self.evaluator.tree):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr=method) if method not in _OF_TEXT | _LOOKING:
                    found.add(name)
                case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                    found.add(name)
                case ast.AugAssign(target=ast.Name(id=name)):
                    found.add(name)
                case ast.Global(names=names):
                    found.update(names)
                case ast.Call(func=function, args=arguments) if dotted(function) not in _PURE:
                    found.update(each.id for each in arguments if isinstance(each, ast.Name))
        return found

    @cached_property
    def _calls(self) -> dict[str, list[ast.Call]]:
        """Every call of a function of this module."""
        found: dict[str, list[ast.Call]] = {name: [] for name in self.functions}
        for node in ast.walk(self.evaluator.tree):
            if isinstance(node, ast.Call) and (name := dotted(node.func)) in found:
                found[name].append(node)
        return found

    @cached_property
    def _mentions(self) -> Counter[str]:
        return Counter(node.id for node in ast.walk(self.evaluator.tree) if isinstance(node, ast.Name))

    def _is_told(self, function: Function, parameter: str) -> bool:
        """Is a parameter given nothing but constants, by everybody who calls the function?"""
        calls = self._calls.get(function.name, [])
        if not calls or len(calls) != self._mentions[function.name]:
            return False
        names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        position = names.index(parameter) if parameter in names else len(names)
        given = [argument(call, position, parameter) for call in calls]
        return all(one is not None and all(_is_written(part) for part in ast.walk(one)) for one in given)


class _Texts:
    """Which expressions of a function are texts of the evaluator's own."""

    def __init__(self, constants: dict[str, ast.expr], holder: Function) -> None:
        self.constants = constants
        self.assigned: dict[str, list[ast.expr]] = {name: [] for name in _bound(holder)}
        for node in _own(holder):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.assigned[node.targets[0].id].append(node.value)
        self.parameters = {one.arg for one in (*holder.args.posonlyargs, *holder.args.args, *holder.args.kwonlyargs)}
        self._known: dict[str, bool] = {}

    def is_own(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str()):
                return True
            case ast.JoinedStr(values=parts):
                inner = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
                return all(self.is_own(part) or self._is_part(part) for part in inner)
            case ast.BinOp(op=ast.Add()):
                own = {part: self.is_own(part) for part in _added(node)}
                return any(own.values()) and all(own[part] or self._is_part(part) for part in own)
            case ast.Name(id=name) if name not in self.parameters:
                return self._holds_own(name)
        return False

    def _holds_own(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = True  # what a name adds to itself does not change whose text it is
            values = self.assigned[name] if name in self.assigned else [self.constants.get(name)]
            self._known[name] = bool(values) and all(each is not None and self.is_own(each) for each in values)
        return self._known[name]

    def _is_part(self, node: ast.expr) -> bool:
        """What may stand within such a text besides others: a number, or a setting of the company's."""
        if isinstance(node, ast.Name):
            return node.id not in self.parameters and _SETTING.fullmatch(node.id) is not None
        return isinstance(node, ast.Constant)


def _added(node: ast.expr) -> list[ast.expr]:
    """The parts of a sum."""
    found: list[ast.expr] = []
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            pending += [part.left, part.right]
        else:
            found.append(part)
    return found


def _own(function: Function) -> Iterator[ast.AST]:
    """Everything in a function's body, nested functions left out."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending += ast.iter_child_nodes(node)


def _bound(function: Function) -> set[str]:
    """The names that a function's body assigns."""
    return {node.id for node in _own(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _always_points(function: Function, gives: Callable[[ast.expr], bool]) -> frozenset[str]:
    """The names of a function that hold points whatever happens: given them on every way, and never less."""
    given: Counter[str] = Counter()
    bound: Counter[str] = Counter()
    from_the_start: set[str] = set()
    outermost = {id(node) for node in function.body}
    for node in _own(function):
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if gives(value):
                given[name] += 1
                if id(node) in outermost:
                    from_the_start.add(name)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(value=int(more))) if (
                more >= 0
            ):
                given[name] += 1
            case ast.Name(id=name, ctx=ast.Store()):
                bound[name] += 1
    return frozenset(name for name in from_the_start if given[name] == bound[name])


def _is_point(value: ast.expr | None, names: frozenset[str]) -> bool:
    match value:
        case ast.Constant(value=constant):
            return bool(constant)
        case ast.Name(id=name):
            return name in names
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=constant)):
            return not constant
    return False


def _inside(value: ast.expr | None) -> ast.expr | None:
    while isinstance(value, ast.Call) and dotted(value.func) in _THROUGH and len(value.args) == 1:
        value = value.args[0]
    return points_of(value)


def _conditions(function: Function) -> Iterator[tuple[ast.If | ast.IfExp, ast.Constant | None]]:
    """Every condition, and what its other side gives."""
    for node in _own(function):
        if isinstance(node, ast.IfExp):
            yield node, _constant(node.orelse)
        for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list):
                yield from _in_block(block)
    yield from _in_block(function.body)


def _in_block(block: list[ast.stmt]) -> Iterator[tuple[ast.If, ast.Constant | None]]:
    for at, node in enumerate(block):
        if isinstance(node, ast.If):
            yield node, _given(node.orelse or islice(block, at + 1, None))


def _given(statements: Iterable[ast.stmt]) -> ast.Constant | None:
    """The constant that some statements return before they do anything else."""
    first = next((each for each in statements if not _is_idle(each)), None)
    return _constant(first.value) if isinstance(first, ast.Return) else None


def _is_idle(node: ast.stmt) -> bool:
    """A statement that decides nothing: a text, a line of a log."""
    if not isinstance(node, ast.Expr):
        return isinstance(node, ast.Pass)
    called = dotted(node.value.func) if isinstance(node.value, ast.Call) else ""
    return isinstance(node.value, ast.Constant) or called == "print" or called.partition(".")[0] in _LOGGING


def _constant(value: ast.expr | None) -> ast.Constant | None:
    value = points_of(value)
    return value if isinstance(value, ast.Constant) else None


def _may_give(function: Function) -> bool:
    """Does it return anything but a plain refusal?"""
    returns = [points_of(node.value) for node in _own(function) if isinstance(node, ast.Return) and node.value]
    return any(not (isinstance(value, ast.Constant) and not value.value) for value in returns)


def _is_written(node: ast.AST) -> bool:
    return isinstance(
        node,
        ast.Constant | ast.List | ast.Tuple | ast.Set | ast.Dict | ast.expr_context | ast.UnaryOp | ast.unaryop
        | ast.BinOp | ast.operator | ast.JoinedStr | ast.FormattedValue,
    )  # fmt: skip
