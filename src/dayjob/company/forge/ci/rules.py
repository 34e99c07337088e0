"""Whether a CI job runs for a push: `rules`, `only`, `except` and `when`, with the expressions `if` allows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.expressions import InvalidExpression, expression

EXPRESSIONS_LIMIT = 16 * 1024
"""Characters of all expressions with patterns that one file may have: each pattern costs milliseconds to compile."""
_LONGEST = 4096
_SPOKEN_OF = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_DEEPEST = 50
_TOKEN = re.compile(
    r"\s*(?:(?P<op>&&|\|\||==|!=|=~|!~|\(|\))|\$(?P<variable>\w+)|\$\{(?P<braced>\w+)\}|\"(?P<double>[^\"]*)\""
    r"|'(?P<single>[^']*)'|/(?P<pattern>(?:\\.|[^/\\])*)/(?P<flags>[a-z]*)|(?P<null>null))"
)


class _Expression:
    """A small recursive reader of GitLab's rule expressions; raises ValueError on what it does not know."""

    def __init__(self, source: str, variables: Mapping[str, str]) -> None:
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
    def _token(found: re.Match[str], variables: Mapping[str, str]) -> tuple[str, Any]:
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
        pattern, ignore = other if isinstance(other, tuple) else _as_pattern(str(other or ""))
        matched = value is not None and expression(pattern, ignore_case=ignore).found_in(str(value))
        return bool(matched == (operator == "=~"))


def _as_pattern(text: str) -> tuple[str, bool]:
    """A pattern that a variable holds: `/^v/i`."""
    body, _, flags = text.rpartition("/")
    return (body[1:], "i" in flags) if body.startswith("/") else (text, False)


def holds(expression: str, variables: Mapping[str, str]) -> bool:
    """Whether a rule's `if` is true; one that cannot be read is not."""
    try:
        reading = _Expression(expression, variables)
        return reading.either() and reading.at == len(reading.tokens)
    except ValueError:
        return False


def readable(expression: str) -> bool:
    """Whether a rule's `if` is an expression."""
    try:
        reading = _Expression(expression, {})
        reading.either()
    except InvalidExpression:
        return True  # a pattern that RE2 does not take is still an expression: it fits nothing
    except ValueError:
        return False
    return reading.at == len(reading.tokens)


def expressions_size(job: Mapping[str, Any]) -> int:
    """How many characters of patterns a job's conditions hold."""
    rules = job.get("rules")
    conditions = [str(one.get("if", "")) for one in rules if isinstance(one, dict)] if isinstance(rules, list) else []
    entries = [*(_refs(job.get("only")) or []), *(_refs(job.get("except")) or [])]
    return sum(len(one) for one in (*conditions, *entries) if "~" in one or one.startswith("/"))


@dataclass(frozen=True, slots=True)
class Setting:
    """What rules are asked about: the variables, and what the commits changed and hold."""

    variables: Mapping[str, str]
    tag: bool = False
    changed: Callable[[str | None], set[str] | None] = lambda compare_to: None
    """The paths that changed, since a ref where one is named; None when there is nothing to compare with."""
    files: Callable[[], Iterable[str]] = lambda: ()
    """All paths at the commit."""


@dataclass(frozen=True, slots=True)
class Decision:
    """That a job runs, and what the rule that said so says besides; None leaves it to the job."""

    when: str
    allow_failure: Any = None
    variables: Mapping[str, Any] = field(default_factory=dict)
    needs: list[Any] | None = None
    start_in: Any = None
    interruptible: Any = None


def decided(job: Mapping[str, Any], setting: Setting, *, workflow: bool = False) -> Decision | None:
    """How the job runs here; None when it does not run at all."""
    when = str(job.get("when", "on_success"))
    rules = job.get("rules")
    if isinstance(rules, list):
        for rule in rules:
            if isinstance(rule, dict) and _fits(rule, setting):
                found = str(rule.get("when", when))
                if found == "never":
                    return None
                variables, needs = rule.get("variables"), rule.get("needs")
                return Decision(
                    found, rule.get("allow_failure"), variables if isinstance(variables, dict) else {},
                    needs if isinstance(needs, list) else None, rule.get("start_in"), rule.get("interruptible"),
                )  # fmt: skip
        return None
    if workflow:
        return Decision(when)
    source = setting.variables["CI_PIPELINE_SOURCE"]
    name = setting.variables["CI_COMMIT_REF_NAME"]
    only, excluded = job.get("only"), job.get("except")
    # A job without rules runs for branches and tags, not for merge requests.
    allowed = _refs(only) or ["branches", "tags"]
    if isinstance(only, dict) and "refs" not in only:
        allowed = ["branches", "tags"]
    if not any(_covers(one, name, source, setting.tag) for one in allowed) or not _further(only, setting, True):
        return None
    if excluded is not None:
        barred = _refs(excluded)
        if any(_covers(one, name, source, setting.tag) for one in barred or []):
            return None
        if isinstance(excluded, dict) and _further(excluded, setting, False):
            return None
    return None if when == "never" else Decision(when)


def _fits(rule: Mapping[str, Any], setting: Setting) -> bool:
    if "if" in rule and not holds(str(rule["if"]), setting.variables):
        return False
    changes = rule.get("changes")
    if changes is not None:
        compare_to = changes.get("compare_to") if isinstance(changes, dict) else None
        paths = changes.get("paths") if isinstance(changes, dict) else changes
        if not _changed(paths, setting, compare_to if isinstance(compare_to, str) else None):
            return False
    exists = rule.get("exists")
    if exists is not None:
        patterns = exists.get("paths") if isinstance(exists, dict) else exists
        if not any_match(_written_out(patterns, setting), setting.files()):
            return False
    return True


def _changed(paths: Any, setting: Setting, compare_to: str | None = None) -> bool:
    changed = setting.changed(compare_to)
    # Where nothing can be compared (a schedule, a first push) everything counts as changed.
    return changed is None or any_match(_written_out(paths, setting), changed)


def _written_out(patterns: Any, setting: Setting) -> list[str]:
    listed = [patterns] if isinstance(patterns, str) else patterns if isinstance(patterns, list) else []
    known = setting.variables
    return [_SPOKEN_OF.sub(lambda found: str(known.get(found[1] or found[2], found[0])), str(one)) for one in listed]


def _further(condition: Any, setting: Setting, otherwise: bool) -> bool:
    """`variables` and `changes` of `only` and `except`."""
    if not isinstance(condition, dict):
        return otherwise
    told = []
    expressions = condition.get("variables")
    if isinstance(expressions, list):
        told.append(any(holds(str(one), setting.variables) for one in expressions))
    if "changes" in condition:
        told.append(_changed(condition["changes"], setting))
    if not told:
        return otherwise
    return all(told) if otherwise else any(told)


# -- paths -------------------------------------------------------------------------------------------------------


def any_match(patterns: Iterable[str], paths: Iterable[str]) -> bool:
    """Whether any path fits any of the patterns (`src/**/*.py`, `*.{js,ts}`)."""
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(expression(_glob(pattern)))
        except InvalidExpression:
            continue
    return any(one.found_in(path) for path in paths for one in compiled)


def _glob(pattern: str) -> str:
    found, place, braces = "", 0, 0
    pattern = pattern.removeprefix("./")[:_LONGEST]
    while place < len(pattern):
        rest = pattern[place:]
        letter = rest[0]
        if rest.startswith("**/"):
            found, place = found + "(?:.*/)?", place + 3
            continue
        if rest.startswith("**"):
            found, place = found + ".*", place + 2
            continue
        if letter == "*":
            found += "[^/]*"
        elif letter == "?":
            found += "[^/]"
        elif letter == "{":
            found, braces = found + "(?:", braces + 1
        elif letter == "}" and braces:
            found, braces = found + ")", braces - 1
        elif letter == "," and braces:
            found += "|"
        else:
            found += re.escape(letter)
        place += 1
    return f"^{found}{')' * braces}$"


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
