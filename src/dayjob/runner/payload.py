"""A job as the forge hands it out (`POST /api/v4/jobs/request`), read into values.

Most of it was written by whoever pushed: names, scripts, variables. Nothing here believes it to be more than text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit, urlunsplit

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
_REFERENCE = re.compile(r"\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})")
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
_SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REFSPEC = re.compile(r"\+?refs/[^\s:~^?*\[\\]+(:refs/[^\s:~^?*\[\\]+)?|\+?[0-9a-f]{40}:refs/[^\s:~^?*\[\\]+")
_LONGEST_VALUE = 256 * 1024
_LONGEST_ALTOGETHER = 4 * 1024 * 1024
_DEEPEST = 8


class BadPayload(Exception):
    """The forge's answer is no job; the sentence says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of a job. A file's value is the file's text, and the variable its path."""

    key: str
    value: str
    masked: bool = False
    file: bool = False
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """`script` (with `before_script` in front) or `after_script`."""

    name: str
    script: tuple[str, ...]
    timeout: int
    allow_failure: bool


@dataclass(frozen=True, slots=True)
class Artifact:
    """What is to be kept of a job: an archive, or a report."""

    name: str
    paths: tuple[str, ...]
    exclude: tuple[str, ...]
    untracked: bool
    when: str
    expire_in: str
    type: str
    format: str

    def wanted(self, succeeded: bool) -> bool:
        return self.when == "always" or self.when == ("on_success" if succeeded else "on_failure")


@dataclass(frozen=True, slots=True)
class Dependency:
    """A job whose archive this one needs, and the token that opens it."""

    id: int
    token: str
    name: str
    has_file: bool


@dataclass(frozen=True, slots=True)
class Job:
    """One job."""

    id: int
    token: str
    name: str
    project_path: str
    repo_url: str
    ref: str
    sha: str
    refspecs: tuple[str, ...]
    depth: int
    timeout: int
    image: str
    services: tuple[str, ...]
    variables: tuple[Variable, ...]
    steps: tuple[Step, ...]
    artifacts: tuple[Artifact, ...]
    dependencies: tuple[Dependency, ...]

    @property
    def clean_url(self) -> str:
        """The repository's address without the token."""
        parts = urlsplit(self.repo_url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))

    def step(self, name: str) -> Step | None:
        return next((one for one in self.steps if one.name == name), None)

    def secrets(self) -> list[str]:
        """What must not be seen in the log, most important first."""
        return [self.token, *(one.value for one in self.variables if one.masked)]


def read_job(facts: Any) -> Job:
    """Raises `BadPayload`."""
    try:
        return _job(facts)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadPayload(f"the forge's answer is no job: {type(error).__name__}: {error}") from error


def _job(facts: Mapping[str, Any]) -> Job:
    git = facts["git_info"]
    sha = str(git["sha"])
    if not _SHA.fullmatch(sha):
        raise ValueError(f"'{sha[:80]}' is no commit")
    refspecs = tuple(str(one) for one in git.get("refspecs") or ())
    if wrong := [one for one in refspecs if not _REFSPEC.fullmatch(one)]:
        raise ValueError(f"'{wrong[0][:80]}' is no refspec")
    path = urlsplit(str(git["repo_url"])).path.strip("/").removesuffix(".git")
    if not _PATH.fullmatch(path):
        raise ValueError(f"'{path[:80]}' is no project's path")
    variables = tuple(_variables(facts.get("variables") or ()))
    return Job(
        id=int(facts["id"]),
        token=str(facts["token"]),
        name=str((facts.get("job_info") or {}).get("name", "")),
        project_path=path,
        repo_url=str(git["repo_url"]),
        ref=str(git.get("ref", "")),
        sha=sha,
        refspecs=refspecs,
        depth=max(0, int(git.get("depth") or 0)),
        timeout=int((facts.get("runner_info") or {}).get("timeout") or 3600),
        image=Expansion({one.key: one for one in variables}).fill_in(_image(facts.get("image"))),
        services=tuple(_image(one) for one in facts.get("services") or ()),
        variables=variables,
        steps=tuple(_step(one) for one in facts.get("steps") or ()),
        artifacts=tuple(_artifact(one) for one in facts.get("artifacts") or ()),
        dependencies=tuple(_dependency(one) for one in facts.get("dependencies") or ()),
    )


def _image(found: Any) -> str:
    return str((found.get("name") if isinstance(found, dict) else found) or "")


def _variables(found: Iterable[Mapping[str, Any]]) -> Iterable[Variable]:
    """Those that can be variables of a shell; of several with one name the last one counts."""
    kept: dict[str, Variable] = {}
    for one in found:
        key, value = str(one["key"]), str(one.get("value") or "")
        if _NAME.fullmatch(key) and "\0" not in value:
            kept.pop(key, None)
            kept[key] = Variable(key, value, bool(one.get("masked")), bool(one.get("file")), bool(one.get("raw")))
    return kept.values()


def _step(one: Mapping[str, Any]) -> Step:
    script = tuple(str(line) for line in one.get("script") or ())
    return Step(str(one["name"]), script, int(one.get("timeout") or 3600), bool(one.get("allow_failure")))


def _artifact(one: Mapping[str, Any]) -> Artifact:
    return Artifact(
        name=str(one.get("name") or ""),
        paths=tuple(str(path) for path in one.get("paths") or ()),
        exclude=tuple(str(path) for path in one.get("exclude") or ()),
        untracked=bool(one.get("untracked")),
        when=str(one.get("when") or "on_success"),
        expire_in=str(one.get("expire_in") or ""),
        type=str(one.get("artifact_type") or "archive"),
        format=str(one.get("artifact_format") or "zip"),
    )


def _dependency(one: Mapping[str, Any]) -> Dependency:
    return Dependency(int(one["id"]), str(one["token"]), str(one.get("name", "")), bool(one.get("artifacts_file")))


def expanded(variables: Sequence[Variable], added: Mapping[str, str]) -> dict[str, str]:
    """The values that a job's shell gets: references to other variables filled in, except in raw ones and files."""
    known = {one.key: one for one in variables} | {key: Variable(key, value, raw=True) for key, value in added.items()}
    expansion = Expansion(known)
    return {key: expansion.value(key) for key in known}


class Expansion:
    """Fills in `$NAME` and `${NAME}`. One that leads back to itself is left as it is written.

    Whoever pushes chooses the values: each is worked out once, and cut where it or all of them together grow too long.
    """

    def __init__(self, known: Mapping[str, Variable]) -> None:
        self._known = known
        self._values: dict[str, str] = {}
        self._under_way: list[str] = []
        self._left = _LONGEST_ALTOGETHER

    def value(self, name: str) -> str:
        """The value of one of the variables."""
        if name not in self._values:
            one = self._known[name]
            self._under_way.append(name)
            self._values[name] = one.value if one.raw or one.file else self.fill_in(one.value)
            self._under_way.pop()
        return self._values[name]

    def fill_in(self, text: str) -> str:
        """A text with the variables' values in it."""
        parts, length, end = list[str](), 0, 0
        for match in _REFERENCE.finditer(text):
            for part in (text[end : match.start()], self._referred(match)):
                parts.append(part)
                length += len(part)
            end = match.end()
            if length > min(_LONGEST_VALUE, self._left):
                break
        if not parts:
            return text
        filled = "".join((*parts, text[end:]))[: min(_LONGEST_VALUE, self._left)]
        self._left -= len(filled)
        return filled

    def _referred(self, match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if name is None:
            return "$"
        if name in self._under_way or len(self._under_way) > _DEEPEST:
            return match[0]
        return self.value(name) if name in self._known else ""
