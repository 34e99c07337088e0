"""Which jobs run: rules, only and except, with expressions and paths."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from dayjob.company.forge.ci.cron import Cron, InvalidCron
from dayjob.company.forge.ci.durations import seconds_of
from dayjob.company.forge.ci.rules import Setting, any_match, decided
from dayjob.company.forge.ci.variables import expanded
from dayjob.company.forge.store.ci_variables import Variable

PUSH = {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_REF_NAME": "main", "CI_COMMIT_BRANCH": "main", "V": "/^ma/"}


def _when(job: dict[str, Any], **more: Any) -> str | None:
    found = decided(job, Setting({**PUSH, **more.pop("variables", {})}, **more))
    return found.when if found is not None else None


@pytest.mark.parametrize(
    ("job", "when"),
    [
        ({}, "on_success"),
        ({"when": "manual"}, "manual"),
        ({"rules": [{"if": "$CI_COMMIT_BRANCH == 'main'", "when": "always"}]}, "always"),
        ({"rules": [{"if": "$CI_COMMIT_BRANCH =~ $V"}]}, "on_success"),
        ({"rules": [{"if": "$CI_COMMIT_TAG"}, {"when": "never"}]}, None),
        ({"rules": [{"if": "$CI_COMMIT_TAG"}]}, None),
        ({"rules": [{"changes": ["src/**/*"]}]}, "on_success"),
        ({"rules": [{"changes": ["docs/*"]}]}, None),
        ({"rules": [{"changes": {"paths": ["docs/*"], "compare_to": "old"}}]}, "on_success"),
        ({"rules": [{"exists": ["go.mod"]}]}, "on_success"),
        ({"rules": [{"exists": ["*.rs"]}]}, None),
        ({"only": ["tags"]}, None),
        ({"only": ["main"]}, "on_success"),
        ({"only": ["/^ma.*$/"]}, "on_success"),
        ({"only": {"variables": ["$CI_COMMIT_BRANCH == 'main'"]}}, "on_success"),
        ({"only": {"changes": ["docs/*"]}}, None),
        ({"except": ["main"]}, None),
        ({"except": {"variables": ["$V"]}}, None),
        ({"only": ["merge_requests"]}, None),
    ],
)
def test_a_job_runs_on_a_push_to_main_as_its_rules_say(job: dict[str, Any], when: str | None) -> None:
    changed = {None: {"src/a/b.py"}, "old": {"docs/a.md"}}
    assert _when(job, changed=changed.get, files=lambda: ("go.mod", "src/a/b.py")) == when


def test_what_cannot_be_compared_counts_as_changed() -> None:
    assert _when({"rules": [{"changes": ["docs/*"]}]}) == "on_success"


def test_rules_bring_variables_and_say_what_may_fail() -> None:
    found = decided({"rules": [{"variables": {"A": "1"}, "allow_failure": True, "needs": ["x"]}]}, Setting(PUSH))
    assert found is not None
    assert (found.variables, found.allow_failure, found.needs) == ({"A": "1"}, True, ["x"])


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "a.py", True), ("*.py", "b/a.py", False), ("**/*.py", "a.py", True), ("**/*.py", "b/c/a.py", True),
        ("src/**/*", "src/a", True), ("src/*", "src/a/b", False), ("*.{js,ts}", "a.ts", True), ("a?", "ab", True),
        ("Dockerfile", "Dockerfile", True), ("Dockerfile", "a/Dockerfile", False), ("a.c", "abc", False),
        ("[", "[", True),
    ],
)  # fmt: skip
def test_paths_fit_patterns(pattern: str, path: str, fits: bool) -> None:
    assert any_match([pattern], [path]) is fits


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1 day", 86400), ("3 mins 4 sec", 184), ("2h20min", 8400), ("1 week and 2 hours", 612000), ("42", 42),
     ("never", 0), ("soon", None), ("", None), ("1 lightyear", None)],
)  # fmt: skip
def test_spans_of_time(text: str, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("line", "zone", "after"),
    [
        ("0 4 * * *", "UTC", "2026-03-10T04:00"), ("*/15 * * * *", "UTC", "2026-03-09T09:15"),
        ("0 9 * * mon", "UTC", "2026-03-16T09:00"), ("30 2 1,15 * *", "Europe/Vienna", "2026-03-15T01:30"),
        ("0 0 29 2 *", "UTC", "2028-02-29T00:00"), ("@daily", "America/New_York", "2026-03-10T04:00"),
        ("30 2 29 3 *", "Europe/Vienna", "2027-03-29T00:30"), ("0 0 13 * 5", "UTC", "2026-03-13T00:00"),
    ],
)  # fmt: skip
def test_a_cron_line_comes_next(line: str, zone: str, after: str) -> None:
    # On 29 March 2026 the clocks of Vienna go from two to three: half past two is not that night.
    found = Cron(line).after(datetime(2026, 3, 9, 9, 0, tzinfo=UTC), zone)
    assert found is not None
    assert found.strftime("%Y-%m-%dT%H:%M") == after


@pytest.mark.parametrize("line", ["", "* * * *", "60 * * * *", "* * 0 * *", "*/0 * * * *", "a * * * *", "5-1 * * * *"])
def test_what_is_no_cron_line_is_refused(line: str) -> None:
    with pytest.raises(InvalidCron):
        Cron(line)


def test_variables_speak_of_each_other_raw_ones_of_nobody_and_none_of_itself() -> None:
    found = {one.key: one.value for one in expanded([
        Variable("A", "old"), Variable("B", "<$A>"), Variable("C", "${B}$NONE"), Variable("A", "new"),
        Variable("R", "$A", raw=True), Variable("S", "$S!"), Variable("X", "$Y"), Variable("Y", "$X"),
        Variable("F", "text", file=True), Variable("G", "$F"),
    ])}  # fmt: skip
    assert (found["B"], found["C"], found["R"], found["S"], found["G"]) == ("<new>", "<new>$NONE", "$A", "$S!", "$F")
    assert "$" in found["X"]
