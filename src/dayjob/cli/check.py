"""`dayjob check`: lint task folders. Exit 0 without errors, 1 with one, 2 when there was nothing to check."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import click

from dayjob.cli.variants import look_at_families
from dayjob.task.family import is_family
from dayjob.task.find import named
from dayjob.task.findings import Finding
from dayjob.task.lint import check as check_folder
from dayjob.task.lint import find_tasks
from dayjob.task.rules import Rule, Severity, is_selector

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
_GITHUB = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}

Report = list[tuple[Path, list[Finding]]]


def _selectors(_: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    selectors = tuple(part.strip() for value in values for part in value.split(",") if part.strip())
    for selector in selectors:
        if not is_selector(selector):
            raise click.BadParameter(f"'{selector}' is not a rule or the beginning of one; see dayjob check --rules")
    return selectors


@click.command(epilog="Example: dayjob check tasks/ --ignore DJ204")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--select", multiple=True, callback=_selectors, help="Only these rules: ids or prefixes (DJ3), by comma.")
@click.option("--ignore", multiple=True, callback=_selectors, help="Not these rules: ids or prefixes, by comma.")
@click.option("--strict", is_flag=True, help="Warnings fail the check too.")
@click.option("--json", "as_json", is_flag=True, help="Findings as JSON.")
@click.option("--github", is_flag=True, help="Findings as GitHub annotations.")
@click.option("--rules", "list_rules", is_flag=True, help="List every rule and exit.")
def check(
    paths: tuple[Path, ...],
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    strict: bool,
    as_json: bool,
    github: bool,
    list_rules: bool,
) -> None:
    """Lint task folders, or every task folder right below each of PATHS (default: here)."""
    if list_rules:
        _print_rules(as_json)
        return
    tasks = [task for path in paths or (Path(),) for task in find_tasks(named(path))]
    made = look_at_families([task for task in tasks if is_family(task)])
    report: Report = []
    for task in tasks:
        looked = made.get(task)
        if looked is None:
            report.append((task, check_folder(task, select, ignore)))
        else:
            report.append((task, check_folder(task, select, ignore, made=looked.made, further=looked.findings)))
    if as_json:
        _print_json(report)
    elif github:
        _print_github(report)
    else:
        _print_people(report)
    found = [finding for _, findings in report for finding in findings]
    if any(finding.rule is Rule.NOT_A_TASK for finding in found):
        sys.exit(2)
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    sys.exit(1 if any(finding.severity in failing for finding in found) else 0)


def _place(task: Path, finding: Finding) -> str:
    """Where a finding is, as a path from here that an editor can open."""
    if finding.rule is Rule.NOT_A_TASK or finding.file == ".":
        return str(task)
    return str(task / finding.file)


def _print_people(report: Report) -> None:
    for task, findings in report:
        for finding in findings:
            line = f":{finding.line}" if finding.line else ""
            severity = finding.severity
            click.echo(
                f"{_place(task, finding)}{line}: {click.style(severity.value, fg=_COLOURS[severity])} "
                f"{finding.rule.id} {finding.message}. {finding.fix}."
            )
    counts = Counter(finding.severity for _, findings in report for finding in findings)
    parts = [_count(counts[severity], severity.value) for severity in Severity if counts[severity]]
    outcome = ", ".join(parts) if parts else click.style("nothing to report", fg="green")
    click.echo(f"{_count(len(report), 'task')} checked: {outcome}.")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _print_json(report: Report) -> None:
    tasks = [
        {
            "path": str(task),
            "ok": not any(finding.severity is Severity.ERROR for finding in findings),
            "findings": [
                {
                    "rule": finding.rule.id,
                    "severity": finding.severity.value,
                    "file": finding.file,
                    "line": finding.line,
                    "message": finding.message,
                    "fix": finding.fix,
                }
                for finding in findings
            ],
        }
        for task, findings in report
    ]
    click.echo(json.dumps({"format": 1, "tasks": tasks}, indent=2, ensure_ascii=False))


def _print_github(report: Report) -> None:
    for task, findings in report:
        for finding in findings:
            properties = {"file": _place(task, finding), "line": str(finding.line or 1), "title": finding.rule.id}
            words = ",".join(f"{key}={_escape(value, ':,')}" for key, value in properties.items())
            click.echo(f"::{_GITHUB[finding.severity]} {words}::{_escape(f'{finding.message}. {finding.fix}.')}")


def _escape(text: str, more: Iterable[str] = "") -> str:
    """GitHub's own escaping: a percent sign and its number in hexadecimal."""
    for sign in ("%", "\r", "\n", *more):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


def _print_rules(as_json: bool) -> None:
    if as_json:
        rows = [{"id": r.id, "severity": r.severity.value, "explanation": r.explanation} for r in Rule]
        click.echo(json.dumps({"format": 1, "rules": rows}, indent=2, ensure_ascii=False))
        return
    for rule in Rule:
        severity = click.style(f"{rule.severity.value:<7}", fg=_COLOURS[rule.severity])
        click.echo(f"{rule.id}  {severity}  {rule.explanation}")
