"""task.toml: the optional settings of a task, typed. Absent means the defaults below.

`format = 1` is required when the file exists, and a newer one is refused: guessing at it would misread a task.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dayjob.durations import parse_duration
from dayjob.service_names import SERVICES, WIRES
from dayjob.task.findings import Finding, TaskError
from dayjob.task.reading import parse_toml
from dayjob.task.rules import Rule, is_selector, matches

NAME = "task.toml"
FORMAT = 1
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Timeouts:
    """Seconds each step may take."""

    init: int = 120
    work: int = 1800
    grade: int = 300


@dataclass(frozen=True)
class Grading:
    """What graders need."""

    python: tuple[int, int] | None = None
    """The oldest Python that the evaluator, its modules and the init scripts run on; None: whichever there is."""
    egress: tuple[str, ...] = ()
    """The hosts that graders may reach beyond the company, as for the examinee."""


@dataclass(frozen=True)
class Time:
    """How the company's time passes in a task."""

    clock: str = "running"
    """`running`, or `stepped`: it moves with requests and waits only."""
    longest: timedelta = timedelta(days=7)
    """How much of it the examinee may let pass, all waits together."""
    answers: str = "hours"
    """When colleagues answer: by their `hours`, or `at once`."""
    look: timedelta = timedelta(hours=1)
    """How far time goes on by itself to an answer that is owed, when the examinee looks for it."""


@dataclass(frozen=True)
class Ignore:
    """A rule that does not apply to this task, and why."""

    rule: str
    reason: str


@dataclass(frozen=True)
class Settings:
    """Everything task.toml can say."""

    world: str = "larkspur"
    role: str = ""
    difficulty: str = ""
    author: str = ""
    canary: str = ""
    minutes: int | None = None
    """How long a person who knows the company would take."""
    tags: tuple[str, ...] = ()
    egress: tuple[str, ...] = ()
    """The hosts the examinee may reach beyond its company: none, names (`*.example.org` too), or `*` for all."""
    down: tuple[str, ...] = ()
    """The services that the examinee finds out of order."""
    tell_time: bool = True
    """Whether the company's day and hour follow the instruction."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    grading: Grading = field(default_factory=Grading)
    time: Time = field(default_factory=Time)
    ignores: tuple[Ignore, ...] = ()
    unknown: tuple[tuple[str, int], ...] = ()

    def ignores_rule(self, rule: Rule) -> bool:
        return matches(rule, tuple(each.rule for each in self.ignores))

    def unknown_settings(self) -> list[Finding]:
        """Settings nobody reads: most often a misspelling."""
        return [
            Finding(Rule.UNKNOWN_SETTING, NAME, line, f"nobody reads '{key}'", "Correct its name or remove it")
            for key, line in self.unknown
        ]


PUBLISHED = Settings(time=Time(answers="at once"))
"""What holds in a folder without task.toml: published tasks know nothing of hours."""
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_TEXTS = ("world", "role", "difficulty", "author", "canary")
_KNOWN = {
    "format", "minutes", "tags", "egress", "down", "tell_time", "timeouts", "grading", "time", "ignore", *_TEXTS,
}  # fmt: skip
_TIME_WORDS = {"clock": ("running", "stepped"), "answers": ("at once", "hours")}
_TIME_LENGTHS = {"longest": "5d", "look": "30m"}
_PYTHON = re.compile(r"3\.(0|[1-9]\d?)")


def parse_settings(text: str) -> Settings:
    """Parse task.toml, or raise `TaskError` with the line."""
    found = parse_toml(text, NAME, Rule.SETTINGS)
    version = found.get("format")
    if isinstance(version, int) and not isinstance(version, bool) and version > FORMAT:
        raise _wrong(text, "format", f"format {version} is newer than this dayjob reads ({FORMAT})", "Update dayjob")
    if version != FORMAT or isinstance(version, bool):
        raise _wrong(text, "format", f"'format = {FORMAT}' is missing", f"Write 'format = {FORMAT}' at the top")
    texts = {}
    for key in _TEXTS:
        value = found.get(key, getattr(Settings, key))
        if not isinstance(value, str):
            raise _wrong(text, key, f"'{key}' must be text", "Put it in quotes")
        texts[key] = value
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", texts["world"]):
        raise _wrong(text, "world", f"'{texts['world']}' is not the name of a world", "Name a folder of worlds/")
    if texts["difficulty"] and texts["difficulty"] not in DIFFICULTIES:
        raise _wrong(
            text, "difficulty", f"there is no difficulty '{texts['difficulty']}'", "Write easy, medium or hard"
        )
    minutes = found.get("minutes")
    if minutes is not None and (
        isinstance(minutes, bool) or not isinstance(minutes, int) or not 1 <= minutes <= 10_000
    ):
        raise _wrong(text, "minutes", "'minutes' must be a whole number from 1 to 10000", "Write minutes = 30")
    tags = found.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise _wrong(text, "tags", "'tags' must be a list of texts", 'Write tags = ["finance", "chat"]')
    tell_time = found.get("tell_time", True)
    if not isinstance(tell_time, bool):
        raise _wrong(text, "tell_time", "'tell_time' must be true or false", "Write tell_time = false")
    timeouts, unknown_timeouts = _timeouts(text, found.get("timeouts", {}))
    grading, unknown_grading = _grading(text, found.get("grading", {}))
    time, unknown_time = _time(text, found.get("time", {}))
    unknown = [key for key in found if key not in _KNOWN] + unknown_timeouts + unknown_grading + unknown_time
    return Settings(
        **texts,
        minutes=minutes,
        tags=tuple(tags),
        egress=_egress(text, found.get("egress", "none")),
        down=_down(text, found.get("down", [])),
        tell_time=tell_time,
        timeouts=timeouts,
        grading=grading,
        time=time,
        ignores=_ignores(text, found.get("ignore", [])),
        unknown=tuple((key, _line(text, key.rpartition(".")[2])) for key in unknown),
    )


def egress_hosts(found: Any) -> tuple[str, ...] | None:
    """The hosts that `"none"`, `"full"`, or a list of host names means; None for anything else."""
    if found in ("none", "full"):
        return () if found == "none" else ("*",)
    if isinstance(found, list) and all(isinstance(host, str) and _HOST.fullmatch(host) for host in found):
        return tuple(found)
    return None


def _egress(text: str, found: Any) -> tuple[str, ...]:
    if (hosts := egress_hosts(found)) is not None:
        return hosts
    raise _wrong(
        text,
        "egress",
        "'egress' must be none, full or a list of host names",
        'Write egress = ["example.com", "*.example.org"]',
    )


def _down(text: str, found: Any) -> tuple[str, ...]:
    if isinstance(found, list) and all(isinstance(name, str) and name in SERVICES for name in found):
        return tuple(dict.fromkeys(SERVICES[name] for name in found))
    raise _wrong(
        text, "down", f"'down' must be a list of services: {', '.join(WIRES.values())}", 'Write down = ["plane"]'
    )


def _timeouts(text: str, found: Any) -> tuple[Timeouts, list[str]]:
    if not isinstance(found, dict):
        raise _wrong(text, "timeouts", "'timeouts' must be a table", "Write [timeouts] and below it work = 1800")
    steps = {}
    for step in ("init", "work", "grade"):
        if step in found:
            seconds = found[step]
            if isinstance(seconds, bool) or not isinstance(seconds, int) or not 1 <= seconds <= 86_400:
                raise _wrong(
                    text, step, f"the time limit '{step}' must be whole seconds, 1 to 86400", f"Write {step} = 600"
                )
            steps[step] = seconds
    return Timeouts(**steps), [f"timeouts.{key}" for key in found if key not in ("init", "work", "grade")]


def _grading(text: str, found: Any) -> tuple[Grading, list[str]]:
    if not isinstance(found, dict):
        raise _wrong(text, "grading", "'grading' must be a table", 'Write [grading] and below it python = "3.12"')
    python = found.get("python")
    version = _PYTHON.fullmatch(python) if isinstance(python, str) else None
    if python is not None and version is None:
        raise _wrong(
            text,
            "python",
            "'python' must be the oldest version that graders run on, as text",
            'Write python = "3.12"',
        )
    grading = Grading((3, int(version[1])) if version else None, _egress(text, found.get("egress", "none")))
    return grading, [f"grading.{key}" for key in found if key not in ("python", "egress")]


def _time(text: str, found: Any) -> tuple[Time, list[str]]:
    if not isinstance(found, dict):
        raise _wrong(text, "time", "'time' must be a table", 'Write [time] and below it longest = "5d"')
    given: dict[str, Any] = {}
    for key, known in _TIME_WORDS.items():
        if key in found:
            if found[key] not in known:
                words = " or ".join(f'"{word}"' for word in known)
                raise _wrong(text, key, f"'{key}' of [time] must be {words}", f'Write {key} = "{known[0]}"')
            given[key] = found[key]
    for key, example in _TIME_LENGTHS.items():
        if key in found:
            given[key] = parse_duration(found[key])
            if given[key] is None:
                raise _wrong(text, key, f"'{key}' of [time] must be a length of time", f'Write {key} = "{example}"')
    return Time(**given), [f"time.{key}" for key in found if key not in given]


def _ignores(text: str, found: Any) -> tuple[Ignore, ...]:
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise _wrong(text, "ignore", "'ignore' must be a list of tables", "Write [[ignore]] with rule and reason")
    ignores = []
    for each in found:
        rule, reason = each.get("rule"), each.get("reason")
        if not isinstance(rule, str) or not is_selector(rule):
            line = _line(text, "rule", after="ignore")
            raise TaskError(
                Rule.BAD_IGNORE, NAME, line, f"'{rule}' is not the id of a rule", "See dayjob check --rules"
            )
        if not isinstance(reason, str) or not reason.strip():
            line = text[: text.find(rule)].count("\n") + 1
            raise TaskError(
                Rule.BAD_IGNORE, NAME, line, f"{rule} is ignored without a reason", 'Say why in reason = "…"'
            )
        ignores.append(Ignore(rule, reason))
    return tuple(ignores)


def _wrong(text: str, key: str, message: str, fix: str) -> TaskError:
    return TaskError(Rule.SETTINGS, NAME, _line(text, key), message, fix)


def _line(text: str, key: str, after: str = "") -> int:
    """The line a key or a table of that name starts on; 1 when it is not there at all."""
    start = max(text.find(f"[{after}"), 0) if after else 0
    found = re.compile(rf"^\s*(?:\[+\s*)?[\"']?{re.escape(key)}\b", re.MULTILINE).search(text, start)
    return text.count("\n", 0, found.end()) + 1 if found else 1
