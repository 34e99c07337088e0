"""Where an evaluator runs the examinee's files by itself, in its own room, told from its syntax tree.

Only what can be seen without running it: a path below the examinee's folders, written here or held by a name that was
given one, in a call that starts or imports it.
"""

from __future__ import annotations

import ast
import re

from dayjob.grading.own_room import is_run
from dayjob.task.evaluator import Evaluator, Place
from dayjob.task.syntax import dotted

_THEIRS = re.compile(r"(?:^|(?<=[\s='\":]))/(?:workspace|home|root|srv|mnt)(?![\w.-])")
_STARTING = frozenset({
    "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
    "subprocess.getoutput", "subprocess.getstatusoutput", "os.system", "os.popen", "pty.spawn",
    "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
})  # fmt: skip
_STARTING_BEGIN = ("os.exec", "os.spawn", "os.posix_spawn")
# Whatever they are given is run, or can make itself be run.
_RUNNING = frozenset({
    "exec", "runpy.run_path", "importlib.util.spec_from_file_location", "importlib.machinery.SourceFileLoader",
    "pytest.main", "ctypes.CDLL", "ctypes.cdll.LoadLibrary", "pickle.load", "pickle.loads", "sys.path.insert",
    "sys.path.append", "sys.path.extend", "site.addsitedir", "unittest.TestLoader().discover",
    "unittest.defaultTestLoader.discover", "doctest.testfile", "imp.load_source",
})  # fmt: skip


def runs_in_own_room(evaluator: Evaluator) -> list[Place]:
    """Every call that runs something below the examinee's folders."""
    reader = _Reader(evaluator.tree)
    found = []
    for node in ast.walk(evaluator.tree):
        if isinstance(node, ast.Call) and reader.runs_theirs(node):
            found.append(Place(reader.full_name(node.func), node.lineno))
        elif isinstance(node, ast.AugAssign) and dotted(node.target) == "sys.path" and reader.is_theirs(node.value):
            found.append(Place("sys.path", node.lineno))
    return found


class _Reader:
    """Which expressions of a module hold a path of the examinee's."""

    def __init__(self, tree: ast.Module) -> None:
        self.imported: dict[str, str] = {}
        self.names: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                self.imported |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
            elif isinstance(node, ast.Import):
                self.imported |= {one.asname: one.name for one in node.names if one.asname}
        assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign | ast.withitem)]
        for _ in range(3):  # names of names of names
            for one in assigned:
                self._learn(one)

    def _learn(self, node: ast.Assign | ast.AnnAssign | ast.withitem) -> None:
        targets: list[ast.expr | None]
        value: ast.expr | None
        if isinstance(node, ast.withitem):
            targets, value = [node.optional_vars], node.context_expr
        elif isinstance(node, ast.Assign):
            targets, value = list(node.targets), node.value
        else:
            targets, value = [node.target], node.value
        if value is not None and self.is_theirs(value):
            self.names |= {target.id for target in targets if isinstance(target, ast.Name)}

    def full_name(self, function: ast.expr) -> str:
        name = dotted(function)
        first, dot, rest = name.partition(".")
        return self.imported.get(first, first) + dot + rest

    def is_theirs(self, node: ast.expr) -> bool:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and _THEIRS.search(part.value):
                return True
            if isinstance(part, ast.Name) and part.id in self.names:
                return True
        return False

    def runs_theirs(self, call: ast.Call) -> bool:
        name = self.full_name(call.func)
        if name in _STARTING or name.startswith(_STARTING_BEGIN):
            return self.starts_theirs(call)
        given = [*call.args, *(each.value for each in call.keywords)]
        return name in _RUNNING and any(self.is_theirs(part) for part in given)

    def starts_theirs(self, call: ast.Call) -> bool:
        command = next(
            (each.value for each in call.keywords if each.arg == "args"), call.args[0] if call.args else None
        )
        folder = next((each.value for each in call.keywords if each.arg == "cwd"), None)
        in_folder = folder is not None and self.is_theirs(folder)
        if command is None:
            return False
        if self.full_name(call.func).startswith(_STARTING_BEGIN):
            words = [self._word(part) for one in call.args[1:] for part in _elements(one)]
        elif isinstance(command, ast.List | ast.Tuple):
            words = [self._word(part) for part in command.elts]
        else:
            words = ["sh", "-c", self._word(command)]
        return is_run(words, in_folder, lambda word: bool(_THEIRS.search(word)))

    def _word(self, part: ast.expr) -> str:
        """A word of a command as far as it can be read: a path of the examinee's stands for what is not known."""
        if isinstance(part, ast.Constant):
            return str(part.value)
        if dotted(part) == "sys.executable":
            return "python"
        text = "".join(str(one.value) for one in ast.walk(part) if isinstance(one, ast.Constant))
        return f"{text} /workspace" if self.is_theirs(part) else text


def _elements(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
