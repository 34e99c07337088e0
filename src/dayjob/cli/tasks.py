"""`dayjob tasks`: the tasks that come with dayjob, by role. Exit 1: none has the role that was asked for."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click


@click.command(epilog="Example: dayjob tasks --role finance")
@click.option("--role", help="Only tasks of this role.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each task.")
def tasks(role: str | None, as_json: bool) -> None:
    """List the tasks that come with dayjob. Their names can stand for their folders: dayjob run example."""
    from dayjob.nearest import did_you_mean
    from dayjob.task.find import own_tasks

    rows = [_row(path) for path in own_tasks()]
    chosen = [row for row in rows if role in (None, row.role)]
    if not chosen:
        roles = sorted({row.role for row in rows})
        near = did_you_mean(role or "", roles)
        click.echo(f"No task has the role '{role}'; they have {', '.join(roles) or 'none'}.{near}", err=True)
        sys.exit(1)
    if as_json:
        for row in chosen:
            click.echo(json.dumps(asdict(row)))
        return
    _print(chosen)


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    role: str
    difficulty: str
    minutes: int | None
    points: int
    services: list[str]
    colleagues: bool
    family: bool


def _row(path: Path) -> _Row:
    from dayjob.task.family import SUFFIX, is_family
    from dayjob.task.model import load_settings, parse_dependencies
    from dayjob.task.reading import read_text
    from dayjob.task.rubric import parse_rubric

    settings = load_settings(path)
    sheets = ("colleagues.yml", f"colleagues.yml{SUFFIX}", "scenarios.json", f"scenarios.json{SUFFIX}")
    return _Row(
        name=path.name,
        role=settings.role,
        difficulty=settings.difficulty,
        minutes=settings.minutes,
        points=parse_rubric(read_text(path, "checkpoints.md")).total,
        services=list(parse_dependencies(read_text(path, "dependencies.yml"))),
        colleagues=any((path / name).exists() for name in sheets),
        family=is_family(path),
    )


def _print(rows: list[_Row]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("task", "role", "difficulty"):
        table.add_column(heading, overflow="fold")
    for heading in ("minutes", "points"):
        table.add_column(heading, justify="right")
    for heading in ("services", "colleagues", "family"):
        table.add_column(heading)
    for row in sorted(rows, key=lambda row: (row.role, row.name)):
        table.add_row(
            row.name, row.role, row.difficulty, str(row.minutes or ""), str(row.points), ", ".join(row.services),
            "yes" if row.colleagues else "", "yes" if row.family else "",
        )  # fmt: skip
    # Off a terminal there is no width to fit.
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else 160).print(table)
