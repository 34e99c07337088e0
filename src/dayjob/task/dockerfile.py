"""Dockerfiles as a list of instructions with line numbers: continuations joined, comments and parser directives gone.

Only the syntax every builder knows: a heredoc is refused, because the builders tasks are built with do not all have it.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass

from dayjob.task.findings import TaskError
from dayjob.task.rules import Rule

KEYWORDS = frozenset(
    {"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER"}
    | {"ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}
)

_DIRECTIVE = re.compile(r"#\s*(\w+)\s*=\s*(\S+)\s*$")
_HEREDOC = re.compile(r"(?:^|\s)<<-?\s*[\"']?[A-Za-z_]\w*")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::([-+])([^}]*))?\})")


@dataclass(frozen=True)
class Instruction:
    """One instruction: its keyword in capitals, what follows it on one line, and where it starts.

    `parts` is the exec form's list (`["a", "b"]`) when it was written so; `flags` are the `--name=value` in front.
    """

    keyword: str
    text: str
    line: int
    flags: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] | None = None

    def words(self) -> tuple[str, ...]:
        """The arguments: the exec form's list, or the text split the way a shell would."""
        if self.parts is not None:
            return self.parts
        try:
            return tuple(shlex.split(self.text))
        except ValueError:
            return tuple(self.text.split())

    @property
    def inner(self) -> Instruction:
        """What an ONBUILD will do later; any other instruction is its own."""
        if self.keyword != "ONBUILD":
            return self
        keyword, _, rest = self.text.partition(" ")
        return _instruction(keyword, rest.strip(), self.line)


@dataclass(frozen=True)
class Dockerfile:
    """The instructions of a Dockerfile in order.

    `below` is what somebody else lays between the base and the task, such as an agent's installation: kept apart so
    that all tasks share it. `made` names an image in which the instructions have been carried out already.
    """

    instructions: tuple[Instruction, ...]
    below: tuple[Instruction, ...] = ()
    made: str = ""

    @property
    def base(self) -> Instruction | None:
        """The FROM of the last stage: what the task's image stands on."""
        stages = [each for each in self.instructions if each.keyword == "FROM"]
        return stages[-1] if stages else None

    @property
    def base_image(self) -> str | None:
        """The image of the last stage, arguments filled in and named stages followed."""
        arguments: dict[str, str] = {}
        stages: dict[str, str] = {}
        image: str | None = None
        for each in self.instructions:
            if each.keyword == "ARG" and image is None:
                for word in each.words():
                    name, _, value = word.partition("=")
                    arguments[name] = value
            elif each.keyword == "FROM":
                words = each.words()
                image = expand(words[0], arguments) if words else ""
                image = stages.get(image.lower(), image)
                if len(words) >= 3 and words[1].lower() == "as":
                    stages[words[2].lower()] = image
        return image


def parse_dockerfile(text: str) -> Dockerfile:
    """Parse, or raise `TaskError` with the line that cannot be."""
    instructions = []
    for line, logical in _logical_lines(text):
        keyword, _, rest = logical.partition(" ") if " " in logical else logical.partition("\t")
        instructions.append(_instruction(keyword, rest.strip(), line))
    return Dockerfile(tuple(instructions))


def expand(text: str, variables: dict[str, str]) -> str:
    """Fill in `$NAME`, `${NAME}`, `${NAME:-default}` and `${NAME:+instead}`."""

    def value(match: re.Match[str]) -> str:
        known = variables.get(match.group(1) or match.group(2), "")
        if match.group(3) == "-":
            return known or match.group(4)
        if match.group(3) == "+":
            return match.group(4) if known else ""
        return known

    return _VARIABLE.sub(value, text)


def _instruction(keyword: str, rest: str, line: int) -> Instruction:
    upper = keyword.upper()
    if upper not in KEYWORDS:
        raise TaskError(
            Rule.DOCKERFILE_SYNTAX,
            "Dockerfile",
            line,
            f"'{keyword[:40]}' is not an instruction",
            "Join it to the line before with a backslash, or correct it",
        )
    if upper in ("RUN", "COPY", "ADD") and _HEREDOC.search(rest):
        raise TaskError(
            Rule.DOCKERFILE_SYNTAX,
            "Dockerfile",
            line,
            "heredocs need BuildKit, which not every builder of tasks has",
            "Put the text in a file of the task and COPY it, or join the commands with &&",
        )
    if not rest:
        raise TaskError(
            Rule.DOCKERFILE_SYNTAX, "Dockerfile", line, f"{upper} has no arguments", "Add them, or remove the line"
        )
    flags = []
    while upper in ("FROM", "COPY", "ADD", "RUN", "HEALTHCHECK") and rest.startswith("--"):
        flag, _, rest = rest.partition(" ")
        flag_name, _, value = flag[2:].partition("=")
        flags.append((flag_name, value))
        rest = rest.strip()
    return Instruction(upper, rest, line, tuple(flags), _exec_form(rest))


def _exec_form(rest: str) -> tuple[str, ...] | None:
    if not rest.startswith("["):
        return None
    try:
        parts = json.loads(rest)
    except (ValueError, RecursionError):
        return None
    if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
        return tuple(parts)
    return None


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Each instruction on one line, with the number of the line it starts on."""
    escape = "\\"
    directives = True
    logical: list[tuple[int, str]] = []
    pending: list[str] = []
    start = 0
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip() if not pending else raw.rstrip()
        if line.lstrip().startswith("#"):
            directive = _DIRECTIVE.match(line.lstrip()) if directives else None
            if directive and directive.group(1).lower() == "escape" and directive.group(2) in ("\\", "`"):
                escape = directive.group(2)
            directives = directives and directive is not None
            continue
        directives = False
        if not line.strip():
            continue
        if not pending:
            start = number
        if line.endswith(escape):
            pending.append(line[:-1])
            continue
        pending.append(line)
        logical.append((start, "".join(pending).strip()))
        pending = []
    if pending and "".join(pending).strip():
        logical.append((start, "".join(pending).strip()))
    return [(number, line) for number, line in logical if line]
