"""A family's folder: its variant.py as it is written, and its templates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from dayjob.task.family import SUFFIX, check_program, parts_of
from dayjob.task.findings import Finding
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule


def check(sheet: Sheet) -> Iterator[Finding]:
    parts_of(sheet.path)
    yield from check_program(sheet.path)


def not_made(why: str) -> Finding:
    """The note of who could only look at the folder."""
    return Finding(
        Rule.NOT_MADE, ".", 0, f"no variant of this family was made: {why}", "Check it where rooms can be had"
    )


def in_the_family(finding: Finding, family: Path) -> Finding:
    """A finding in a made file, told of the template it was made from; a line of it may be another there."""
    template = f"{finding.file}{SUFFIX}"
    if (family / finding.file).exists() or not (family / template).exists():
        return finding
    return replace(finding, file=template, line=0)
