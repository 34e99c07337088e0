"""Where an evaluator reaches for the internet, told from its syntax tree: commands that download, addresses elsewhere.

Only what is written out: a command's constant words, an address whose host can be read. The company's own services,
this machine and hosts that a name holds are not the internet.
"""

from __future__ import annotations

import ast
import re
from urllib.parse import urlsplit

from dayjob.task.evaluator import Evaluator, Place
from dayjob.task.syntax import dotted

_STARTING = frozenset({
    "run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput", "system", "popen",
    "run_as_examinee", "start", "create_subprocess_exec", "create_subprocess_shell",
})  # fmt: skip
_ASKING = ("requests", "httpx", "urllib", "aiohttp", "session", "urlopen", "urlretrieve")
_VERBS = frozenset({"get", "post", "put", "head", "patch", "delete", "request", "urlopen", "urlretrieve", "stream"})

# Programs whose work begins with a download, unless a word says that it does not.
_DOWNLOADS = re.compile(
    r"(?:^|[\s;&|/])(?P<what>"
    r"pip3?\s+(?:install|download)|python[\d.]*\s+-m\s+pip\s+(?:install|download)|uv\s+pip\s+install"
    r"|poetry\s+(?:install|add|update|lock)|uv\s+(?:sync|add|lock)|pipenv\s+install|pdm\s+install"
    r"|npm\s+(?:install|ci|i)|yarn\s+(?:install|add)|pnpm\s+(?:install|add|i)|apt(?:-get)?\s+(?:-\S+\s+)*(?:install|update)"
    r"|go\s+(?:get|install|mod\s+download)|cargo\s+(?:install|fetch)|bundle\s+install|gem\s+install|conda\s+install)"
    r"(?=\s|$)"
)
_STAYS_HERE = re.compile(r"--(?:no-index|offline|version|help|dry-run)\b")
_FETCHES = re.compile(r"(?:^|[\s;&|/])(?:git\s+(?:-\S+\s+)*(?:clone|fetch|pull|ls-remote)|curl|wget)\s")
_ADDRESS = re.compile(r"(?:https?|git|ssh)://[^\s'\"]+|git@[\w.-]+:")
_HERE = re.compile(
    r"(?:^|\.)(?:localhost|the-agent-company\.com|[\w-]+\.(?:test|local|internal|invalid))$"
    r"|^[\w-]*$|^(?:127|10|172|192|0)\.[\d.]+$|^::1$"
)


def outside_calls(evaluator: Evaluator) -> list[Place]:
    """Every call that needs the internet, by what it starts or asks."""
    reader = _Reader(evaluator)
    found = []
    for node in ast.walk(evaluator.tree):
        if isinstance(node, ast.Call) and (name := reader.needs(node)):
            found.append(Place(name, node.lineno))
    return sorted(found, key=lambda place: place.line)


class _Reader:
    def __init__(self, evaluator: Evaluator) -> None:
        self.constants = evaluator.constants

    def needs(self, call: ast.Call) -> str:
        name = dotted(call.func)
        last = name.rpartition(".")[2]
        given = [*call.args, *(each.value for each in call.keywords if each.arg in ("args", "url", "command"))]
        if last in _STARTING and given:
            return _of_command(self.text(given[0]))
        if last in _VERBS and name.lower().startswith(_ASKING):
            for part in given[:2]:
                if host := _outside(self.text(part)):
                    return f"asking {host}"
        return ""

    def text(self, node: ast.expr, depth: int = 0) -> str:
        """What an expression says as far as it is written out; a `\\0` stands for each part that is not."""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.List | ast.Tuple):
            return " ".join(self.text(part, depth) for part in node.elts)
        if isinstance(node, ast.JoinedStr):
            return "".join(self.text(part, depth) for part in node.values)
        if isinstance(node, ast.FormattedValue):
            return self.text(node.value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.text(node.left, depth) + self.text(node.right, depth)
        if isinstance(node, ast.Attribute) and dotted(node) == "sys.executable":
            return "python3"
        if isinstance(node, ast.Name) and node.id in self.constants and depth < 5:
            return self.text(self.constants[node.id], depth + 1)
        return "\0"


def _of_command(command: str) -> str:
    if found := _DOWNLOADS.search(command):
        offline = _STAYS_HERE.search(command)
        return "" if offline else f"'{' '.join(found['what'].split())}'"
    if (found := _FETCHES.search(command)) and (host := _outside(command[found.end() :])):
        return f"'{' '.join(found.group().split())}' of {host}"
    return ""


def _outside(text: str) -> str:
    """The first host of the internet that a text has an address of."""
    for match in _ADDRESS.finditer(text):
        found = match.group()
        if found.startswith("git@"):
            host = found[4:-1]
        else:
            try:
                host = urlsplit(found).hostname or ""
            except ValueError:
                continue
        if "\0" not in host and not _HERE.search(host):
            return host
    return ""
