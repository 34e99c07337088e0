"""Whether a CI job runs for a push: `rules`, `only`, `except` and `when`, with the expressions `if` allows."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dayjob.company.expressions import InvalidExpression, expression

EXPRESSIONS_LIMIT = 16 * 1024
"""Characters of all expressions with patterns that one file may have: each pattern costs milliseconds to compile."""
_LONGEST = 4096
_DEEPEST = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<op>&&|\|\||==|!=|=~|!~|\(|\))|\$(?P<variable>\w+)|\$\{(?P<braced>\w+)\}|\"(?P<double>[^\"]*)\""
    r"|'(?P<single>[^']*)'|/(?P<pattern>(?:\\.|[^/\\])*)/(?P<flags>[a-z]*)|(?P<null>null))"
)


class _Expression:
    """A small recursive reader of GitLab's rule expressions; raises ValueError on what it does not know."""

    def __init__(self, source: str, variables: dict[str, str]) -> None:
        self.tokens: list[tuple[str, Any]] = []
        self.at = 0
        self.depth = 0
        place = 0
        source = source.strip()
        if len(source) > _LONGEST:
            raise ValueError("the expression is too long")
        while place < len(source):
            found = _TOKEN.match(source, place)
            if found is None or found.end() == place:
                raise ValueError(source)
            place = found.end()
            self.tokens.append(self._token(found, variables))

    @staticmethod
    def _token(found: re.Match[str], variables: dict[str, str]) -> tuple[str, Any]:
        if found["op"]:
            return "op", found["op"]
        if found["variable"] or found["braced"]:
            return "value", variables.get(found["variable"] or found["braced"])
        if found["pattern"] is not None:
            return "pattern", (found["pattern"], "i" in found["flags"])
        if found["null"]:
            return "value", None
        return "value", found["double"] if found["double"] is not None else found["single"]

    def _peek(self) -> Any:
        return self.tokens[self.at][1] if self.at < len(self.tokens) and self.tokens[self.at][0] == "op" else None

    def _take(self) -> tuple[str, Any]:
        if self.at >= len(self.tokens):
            raise ValueError("the expression ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def _joined(self, sign: str, part: Callable[[], bool]) -> list[bool]:
        found = [part()]
        while self._peek() == sign:
            self._take()
            found.append(part())
        return found

    def either(self) -> bool:
        return any(self._joined("||", self.both))

    def both(self) -> bool:
        return all(self._joined("&&", self.comparison))

    def comparison(self) -> bool:
        kind, value = self._take()
        if kind == "op" and value == "(":
            self.depth += 1
            if self.depth > _DEEPEST:
                raise ValueError("the expression is nested too deeply")
            found = self.either()
            if self._take() != ("op", ")"):
                raise ValueError("a parenthesis is not closed")
            self.depth -= 1
            return found
        operator = self._peek()
        if operator not in ("==", "!=", "=~", "!~"):
            return bool(value)
        self._take()
        _, other = self._take()
        if operator in ("==", "!="):
            return bool((value == other) == (operator == "=="))
        pattern, ignore = other if isinstance(other, tuple) else (str(other or "").strip("/"), False)
        matched = value is not None and expression(pattern, ignore_case=ignore).found_in(str(value))
        return bool(matched == (operator == "=~"))


def holds(expression: str, variables: dict[str, str]) -> bool:
    """Whether a rule's `if` is true; one that cannot be read is not."""
    try:
        return _Expression(expression, variables).either()
    except ValueError:
        return False


def expressions_size(job: dict[str, Any]) -> int:
    """How many characters of patterns a job's conditions hold."""
    rules = job.get("rules")
    conditions = [str(one.get("if", "")) for one in rules if isinstance(one, dict)] if isinstance(rules, list) else []
    entries = [*(_refs(job.get("only")) or []), *(_refs(job.get("except")) or [])]
    return sum(len(one) for one in (*conditions, *entries) if "~" in one or one.startswith("/"))


def wanted(job: dict[str, Any], variables: dict[str, str], tag: bool, *, workflow: bool = False) -> str:
    """When the job runs (`on_success`, `manual`, …), or '' when it does not run at all."""
    when = str(job.get("when", "on_success"))
    rules = job.get("rules")
    if isinstance(rules, list):
        for rule in rules:
            if not isinstance(rule, dict):
                continue
            if "if" not in rule or holds(str(rule["if"]), variables):
                found = str(rule.get("when", when))
                return "" if found == "never" else found
        return ""
    if workflow:
        return when
    source = variables["CI_PIPELINE_SOURCE"]
    only, excluded = _refs(job.get("only")), _refs(job.get("except"))
    name = variables["CI_COMMIT_REF_NAME"]
    # A job without rules runs for branches and tags, not for merge requests.
    allowed = ["branches", "tags"] if only is None else only
    if not any(_covers(one, name, source, tag) for one in allowed):
        return ""
    if any(_covers(one, name, source, tag) for one in excluded or []):
        return ""
    return "" if when == "never" else when


def _refs(value: Any) -> list[str] | None:
    if isinstance(value, dict):
        value = value.get("refs")
    if isinstance(value, str):
        return [value]
    return [str(one) for one in value] if isinstance(value, list) else None


def _covers(entry: str, name: str, source: str, tag: bool) -> bool:
    in_request = source == "merge_request_event"
    kinds = {
        "branches": not tag and not in_request,
        "tags": tag,
        "merge_requests": in_request,
        "pushes": source == "push",
        "web": source == "web",
        "api": source == "api",
        "triggers": source == "trigger",
        "schedules": source == "schedule",
    }
    if entry in kinds:
        return kinds[entry]
    if in_request:
        return False
    if entry.startswith("/") and entry.rstrip("i").endswith("/"):
        try:
            pattern = expression(entry.rstrip("i").strip("/"), ignore_case=entry.endswith("i"))
        except InvalidExpression:
            return False
        return pattern.found_in(name)
    return entry == name
