"""Reading a task's files: bounded, inside the folder, UTF-8; and parsing YAML, JSON and TOML with line numbers.

Whatever bytes a file holds, the only exception that leaves here is `TaskError`.
"""

from __future__ import annotations

import ast
import json
import re
import stat
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any, ClassVar

import yaml

from dayjob.task.findings import TaskError
from dayjob.task.rules import Rule

LIMIT = 1_000_000

_YAML: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# What a line may hold that only newer versions of Python read, newest first.
_NEWER = (
    ((3, 14), re.compile(r"(?:^|[\s=(\[{,:])(?:t|tr|rt)[\"']", re.IGNORECASE)),
    ((3, 14), re.compile(r"^\s*except\*?\s+[\w.]+\s*,\s*[\w.]+(?:\s*,\s*[\w.]+)*\s*:")),
    ((3, 13), re.compile(r"^\s*(?:class|type|(?:async\s+)?def)\s+\w+\s*\[[^\]]*=[^\]]*\]")),
    ((3, 12), re.compile(r"^\s*(?:class|(?:async\s+)?def)\s+\w+\s*\[[\w\s,:*.|()\[\]]+\]\s*[(:]")),
    ((3, 12), re.compile(r"^\s*type\s+\w+\s*(?:\[[^\]]*\]\s*)?=\s*[^=\s]")),
)
_BOOL = "tag:yaml.org,2002:bool"
_TOML_PLACE = re.compile(r"line (\d+)")


def read_text(folder: Path, name: str, limit: int = LIMIT) -> str:
    """The text of a file of the folder."""
    path = folder / name
    try:
        kind = path.lstat()
        if stat.S_ISLNK(kind.st_mode) and not path.resolve().is_relative_to(folder.resolve()):
            raise TaskError(
                Rule.LEAVES_FOLDER,
                name,
                0,
                "this symbolic link leads out of the task folder",
                "Put a copy in its place",
            )
        if not path.is_file():
            raise TaskError(Rule.MISSING_FILE, name, 0, "this is not a file", f"Make {name} a regular text file")
        size = path.stat().st_size
        if size > limit:
            raise TaskError(
                Rule.TOO_BIG, name, 0, f"{size:,} bytes are more than the {limit:,} allowed here", "Shorten it"
            )
        raw = path.read_bytes()
    except FileNotFoundError:
        raise TaskError(Rule.MISSING_FILE, name, 0, f"{name} is missing", f"Add {name}") from None
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or "a loop of symbolic links"
        raise TaskError(
            Rule.UNREADABLE, name, 0, f"it cannot be read ({reason})", "Check its permissions and type"
        ) from None
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise TaskError(Rule.NOT_TEXT, name, line, "this is binary data, not text", "Save it as UTF-8 text")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise TaskError(
            Rule.NOT_TEXT, name, line, f"byte 0x{raw[error.start]:02x} is not UTF-8 text", "Save it as UTF-8"
        ) from None


def parse_python(text: str, name: str, rule: Rule, version: tuple[int, int] | None = None) -> ast.Module:
    """A module's syntax tree, as an older version of Python reads it if one is named; it is never run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape in somebody's regex is not this command's output
            return ast.parse(text, feature_version=version)
    except SyntaxError as error:
        raise TaskError(
            rule, name, error.lineno or 0, f"it is not valid Python ({error.msg})", "Correct the syntax"
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TaskError(rule, name, 0, f"it is not valid Python ({error})", "Simplify the file") from None


def newer_python(text: str, error: TaskError) -> tuple[int, int] | None:
    """The version that reads the line which this Python could not; a sandbox may well have it. None: no version does.

    Told from what newer versions allow, since there is nothing here to ask.
    """
    lines = text.splitlines()
    line = lines[error.finding.line - 1] if 0 < error.finding.line <= len(lines) else ""
    if "f-string" in error.finding.message:
        versions = [(3, 12)]
    else:
        versions = [version for version, construct in _NEWER if construct.search(line)]
    return next((version for version in versions if version > sys.version_info[:2]), None)


class _Plain(_YAML):  # type: ignore[misc]  # whichever of the two loaders there is
    """Reads dates as text, and no booleans but true and false: `on` is a word, as in YAML 1.2. Keys are text, once."""

    yaml_implicit_resolvers: ClassVar[dict[Any, Any]] = {
        first: [(tag, found) for tag, found in every if tag not in ("tag:yaml.org,2002:timestamp", _BOOL)]
        for first, every in _YAML.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.value in keys:
                problem = f"the key '{key.value}' appears twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            if isinstance(key.value, str):
                keys.add(key.value)
        return {str(key): value for key, value in super().construct_mapping(node, deep).items()}


_Plain.add_implicit_resolver(_BOOL, re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"), list("tTfF"))


def parse_plain_yaml(text: str, name: str, rule: Rule) -> Any:
    """A YAML document's content, for files in which people write sentences: only true and false are booleans."""
    return parse_yaml(text, name, rule, _Plain)


def parse_yaml(text: str, name: str, rule: Rule, loader: Any = _YAML) -> Any:
    """A YAML document's content."""
    try:
        return yaml.load(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 0
        raise TaskError(rule, name, line, f"it is not valid YAML ({error.problem})", "Correct the syntax") from None
    except (yaml.YAMLError, ValueError, RecursionError, TypeError) as error:
        sentence = " ".join(str(error).split())
        raise TaskError(rule, name, 0, f"it is not valid YAML ({sentence})", "Correct the syntax") from None


def parse_json(text: str, name: str, rule: Rule) -> Any:
    """A JSON document's content; a key that appears twice is refused, because one of the two would be lost."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            line = line_of(text, json.dumps(twice, ensure_ascii=False))
            raise TaskError(rule, name, line, f"the key '{twice}' appears twice", "Keep one of them")
        return found

    try:
        return json.loads(text, object_pairs_hook=once)
    except json.JSONDecodeError as error:
        raise TaskError(rule, name, error.lineno, f"it is not valid JSON ({error.msg})", "Correct the syntax") from None
    except (ValueError, RecursionError) as error:
        raise TaskError(rule, name, 0, f"it is not valid JSON ({error})", "Simplify the file") from None


def parse_toml(text: str, name: str, rule: Rule) -> dict[str, Any]:
    """A TOML document's content."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        place = _TOML_PLACE.search(str(error))
        line = int(place.group(1)) if place else 0
        sentence = re.sub(r" \(at .*\)$", "", str(error))
        raise TaskError(rule, name, line, f"it is not valid TOML ({sentence})", "Correct the syntax") from None


def line_of(text: str, part: str) -> int:
    """The first line that contains `part`; 0 when none does."""
    at = text.find(part)
    return text.count("\n", 0, at) + 1 if at >= 0 else 0
