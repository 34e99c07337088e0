"""What an evaluator.py does, told from its syntax tree: what it grades, with how many points, and how.

Everything here is a conservative reading: where the code is too clever to follow, the answer is None ("not known"),
never a guess.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from dayjob.service_names import SERVICES
from dayjob.task.syntax import Function, argument, dotted, outside_try, points_of, reads_only_trajectory

# Wrappers around a verdict that do not change whose verdict it is.
_THROUGH = {"int", "bool", "min", "max", "round", "float", "abs"}

# Helpers that raise when their service is down, with the service each needs.
HELPERS = {
    "create_rocketchat_client": "chat",
    "get_rocketchat_personal_chat_history": "chat",
    "get_rocketchat_channel_history": "chat",
    "get_rocketchat_channel_room_id": "chat",
    "check_rocketchat_message_posted": "chat",
    "num_rocketchat_users_contacted": "chat",
    "evaluate_chat_history_with_llm": "chat",
    "messages_from": "chat",
    "make_gitlab_request": "forge",
    "get_gitlab_project_id": "forge",
    "get_gitlab_merge_request_by_title": "forge",
    "get_gitlab_file_in_mr": "forge",
    "get_from_gitlab": "forge",
    "newest_merge_request": "forge",
    "gitlab_tree": "forge",
    "get_all_plane_projects": "board",
    "get_plane_project_id": "board",
    "get_plane_project_all_issues": "board",
    "get_plane_issue_details": "board",
    "get_plane_state_details": "board",
    "get_plane_state_id_dict": "board",
    "get_plane_cycle_details": "board",
    "get_plane_issues_by_project_cycle": "board",
    "create_plane_issue": "board",
    "add_plane_issue_to_cycle": "board",
    "check_file_in_owncloud_directory": "drive",
    "get_binary_file_content_owncloud": "drive",
    "check_and_download_file": "drive",
    "get_owncloud_url_in_file": "drive",
    "download_owncloud_content": "drive",
}
_RAISING = {
    *(name for name, service in HELPERS.items() if service == "chat"),
    *("get_from_gitlab", "newest_merge_request", "gitlab_tree", "accessed", "changes", "llm_complete"),
}
_RAISING_MODULES = {"requests", "httpx", "urllib", "aiohttp"}
_SHELLS = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"}

# Where code is run again or not at all: a checkpoint made there is one of an unknown number.
_REPEATED = ast.For | ast.While | ast.AsyncFor | ast.FunctionDef | ast.AsyncFunctionDef
_OPTIONAL = ast.ListComp | ast.GeneratorExp | ast.IfExp


@dataclass(frozen=True)
class Place:
    """A name or construct worth a finding, and its line."""

    name: str
    line: int


class Evaluator:
    """The facts of one evaluator."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions: dict[str, Function] = {
            node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        self.grade_checkpoints = self.functions.get("grade_checkpoints")

    @cached_property
    def grader_names(self) -> set[str]:
        """What `grader` is called here."""
        names = {"grader"}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname for alias in node.names if alias.name == "grader" and alias.asname}
        return names

    def is_graded(self, function: Function) -> bool:
        """Is the function under `@grader`?"""
        for decorator in function.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if dotted(target).rpartition(".")[2] in self.grader_names:
                return True
        return False

    @cached_property
    def graded(self) -> list[Function]:
        """Every function under `@grader`, nested ones too."""
        return [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and self.is_graded(node)
        ]

    @cached_property
    def signature_problem(self) -> str | None:
        """What is wrong with grade_checkpoints, or None."""
        function = self.grade_checkpoints
        if function is None:
            return "there is no function grade_checkpoints"
        if isinstance(function, ast.AsyncFunctionDef):
            return "grade_checkpoints is async"
        arguments = function.args
        positional = arguments.posonlyargs + arguments.args
        if arguments.kwonlyargs and any(default is None for default in arguments.kw_defaults):
            return "grade_checkpoints has arguments nobody will give it"
        if not positional and arguments.vararg is None:
            return "grade_checkpoints does not take the trajectory"
        if len(positional) > len(arguments.defaults):
            return f"'{positional[0].arg}' has no default"
        if not any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function)):
            return "grade_checkpoints returns nothing"
        return None

    @cached_property
    def main(self) -> Place | None:
        """A main function or a main block."""
        if "main" in self.functions:
            return Place("main", self.functions["main"].lineno)
        for node in self.tree.body:
            if isinstance(node, ast.If) and any(
                isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test)
            ):
                return Place("__main__", node.lineno)
        return None

    @cached_property
    def constants(self) -> dict[str, ast.expr]:
        """What module-level names are assigned, where that happens once."""
        found: dict[str, ast.expr] = {}
        repeated: set[str] = set()
        for node in self.tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                name, value = node.targets[0].id, node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                name, value = node.target.id, node.value
            else:
                continue
            if name in found:
                repeated.add(name)
            found[name] = value
        return {name: value for name, value in found.items() if name not in repeated}

    @cached_property
    def totals(self) -> list[int] | None:
        """Each checkpoint's total in order, or None when the code computes them."""
        if self.grade_checkpoints is None:
            return None
        found = self._totals_of(self.grade_checkpoints.body)
        return found or None

    @cached_property
    def verdicts(self) -> list[Function]:
        """The functions of this module whose answer becomes a checkpoint's result."""
        if self.grade_checkpoints is None:
            return []
        assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(self.grade_checkpoints):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        assigned.setdefault(target.id, []).append(node.value)
        names: dict[str, None] = {}
        for call in self.checkpoint_calls(self.grade_checkpoints):
            result = argument(call, 1, "result")
            if result is not None:
                for name in self._sources(result, assigned, set()):
                    names.setdefault(name)
        return [self.functions[name] for name in names if name in self.functions]

    @cached_property
    def ungraded(self) -> list[Place]:
        """Functions that grade and are not under `@grader`."""
        if self.grade_checkpoints is None:
            return []
        called = {
            node.func.id
            for node in ast.walk(self.grade_checkpoints)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        candidates = {function.name: function for function in self.verdicts}
        candidates |= {
            name: self.functions[name] for name in sorted(called & self.functions.keys()) if name.startswith("grade_")
        }
        return [
            Place(name, function.lineno)
            for name, function in candidates.items()
            if name != "grade_checkpoints" and not self.is_graded(function) and not self._only_calls_graded(function)
        ]

    @cached_property
    def points_on_error(self) -> list[Place]:
        """Exception handlers of graded functions that return a pass."""
        return [
            Place(function.name, node.lineno)
            for function in {id(each): each for each in [*self.graded, *self.verdicts]}.values()
            for handler in ast.walk(function)
            if isinstance(handler, ast.ExceptHandler)
            for node in handler.body
            if isinstance(node, ast.Return) and _is_pass(points_of(node.value))
        ]

    @cached_property
    def chat_clients(self) -> set[str]:
        """Module-level names that hold a chat client."""
        return {
            name
            for name, value in self.constants.items()
            if isinstance(value, ast.Call) and dotted(value.func).endswith("create_rocketchat_client")
        }

    @cached_property
    def import_calls(self) -> list[Place]:
        """Calls to a service made while the module is imported."""
        statements = [
            node
            for node in self.tree.body
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        return self._raising_calls(statements, set())

    @cached_property
    def unguarded_calls(self) -> list[Place]:
        """Calls in or below grade_checkpoints, outside `@grader` and any try, that raise when a service is down."""
        if self.grade_checkpoints is None:
            return []
        return self._raising_calls(self.grade_checkpoints.body, {"grade_checkpoints"})

    @cached_property
    def trajectory_only(self) -> list[Place]:
        """Graded functions that look at nothing but the trajectory."""
        return [Place(function.name, function.lineno) for function in self.graded if reads_only_trajectory(function)]

    @cached_property
    def shells(self) -> list[Place]:
        """Text that is not a constant, run through a shell."""
        found = []
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call):
                continue
            name = dotted(node.func)
            through_shell = name in _SHELLS or any(
                each.arg == "shell" and not (isinstance(each.value, ast.Constant) and not each.value.value)
                for each in node.keywords
            )
            command = argument(node, 0, "args")
            if through_shell and command is not None and not self._is_constant_text(command):
                found.append(Place(name or "a call", node.lineno))
        return found

    @cached_property
    def services(self) -> dict[str, int]:
        """The services the evaluator uses, with the first line that does."""
        found: dict[str, int] = {}
        prefixes = {"ROCKETCHAT_": "chat", "GITLAB_": "forge", "PLANE_": "board", "OWNCLOUD_": "drive"}
        for node in ast.walk(self.tree):
            service = None
            if isinstance(node, ast.Call):
                name = dotted(node.func).rpartition(".")[2]
                service = HELPERS.get(name)
                if name in ("accessed", "changes") and node.args and isinstance(node.args[0], ast.Constant):
                    service = SERVICES.get(str(node.args[0].value))
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                service = next((own for prefix, own in prefixes.items() if node.id.startswith(prefix)), None)
            if service:
                found.setdefault(service, getattr(node, "lineno", 0))
        return found

    def checkpoint_calls(self, root: ast.AST) -> Iterator[ast.Call]:
        """Every `Checkpoint(…)` below a node."""
        for node in ast.walk(root):
            if isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] == "Checkpoint":
                yield node

    def _totals_of(self, statements: list[ast.stmt]) -> list[int] | None:
        totals: list[int] = []
        for node in statements:
            if not any(True for _ in self.checkpoint_calls(node)):
                continue
            if isinstance(node, ast.If):
                first, second = self._totals_of(node.body), self._totals_of(node.orelse)
                more = first if first == second else None
            elif isinstance(node, ast.Try | ast.With):
                more = self._totals_of(node.body)
            elif isinstance(node, _REPEATED) or any(
                isinstance(part, _OPTIONAL) and any(True for _ in self.checkpoint_calls(part))
                for part in ast.walk(node)
            ):
                more = None
            else:
                calls = sorted(self.checkpoint_calls(node), key=lambda call: (call.lineno, call.col_offset))
                more = []
                for call in calls:
                    total = self._number(argument(call, 0, "total"))
                    if total is None:
                        return None
                    more.append(total)
            if more is None:
                return None
            totals += more
        return totals

    def _number(self, node: ast.expr | None, depth: int = 0) -> int | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return int(node.value)
        if isinstance(node, ast.Name) and node.id in self.constants and depth < 5:
            return self._number(self.constants[node.id], depth + 1)
        if isinstance(node, ast.BinOp):
            left, right = self._number(node.left, depth + 1), self._number(node.right, depth + 1)
            if left is not None and right is not None:
                if isinstance(node.op, ast.Add):
                    return left + right
                if isinstance(node.op, ast.Mult):
                    return left * right
        return None

    def _sources(self, node: ast.expr, assigned: dict[str, list[ast.expr]], seen: set[str]) -> Iterator[str]:
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            if name in _THROUGH:
                for argument in node.args:
                    yield from self._sources(argument, assigned, seen)
            else:
                yield name
        elif isinstance(node, ast.Name):
            if node.id not in seen:
                for value in assigned.get(node.id, []):
                    yield from self._sources(value, assigned, seen | {node.id})
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from self._sources(child, assigned, seen)

    def _only_calls_graded(self, function: Function) -> bool:
        """A plain function between grade_checkpoints and graded ones cannot raise on its own."""
        calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
        names = [dotted(call.func) for call in calls]
        own = [self.functions[name] for name in names if name in self.functions]
        harmless = all(name in self.functions or name in _THROUGH or name in ("sum", "any", "all") for name in names)
        return bool(own) and harmless and all(self.is_graded(each) for each in own)

    def _raising_calls(self, statements: list[ast.stmt], seen: set[str]) -> list[Place]:
        found: list[Place] = []
        for call in outside_try(statements):
            name = dotted(call.func)
            head = name.partition(".")[0]
            if (
                name in _RAISING
                or (head in _RAISING_MODULES and "." in name and ".parse." not in name)
                or (head in self.chat_clients and "." in name)
            ):
                found.append(Place(name, call.lineno))
            elif name in self.functions and name not in seen and not self.is_graded(self.functions[name]):
                below = self._raising_calls(self.functions[name].body, seen | {name})
                found += [Place(f"{name} → {each.name}", call.lineno) for each in below[:1]]
        return found

    def _is_constant_text(self, node: ast.expr, depth: int = 0) -> bool:
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return (
                depth < 5 and node.id in self.constants and self._is_constant_text(self.constants[node.id], depth + 1)
            )
        if isinstance(node, ast.BinOp):
            return self._is_constant_text(node.left, depth + 1) and self._is_constant_text(node.right, depth + 1)
        if isinstance(node, ast.List | ast.Tuple):
            return all(self._is_constant_text(each, depth + 1) for each in node.elts)
        if isinstance(node, ast.JoinedStr):
            return all(
                self._is_constant_text(part.value if isinstance(part, ast.FormattedValue) else part, depth + 1)
                for part in node.values
            )
        return False


def _is_pass(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Constant) and bool(value.value)
