"""`dayjob world check|build|import-tac`: a world's files, their snapshot, and worlds made from others'."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click


@click.group()
def world() -> None:
    """Check a world's files, compile them to a snapshot, or make a world from a published benchmark."""


_overlay = click.option(
    "--overlay",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A task's world/ folder to merge in.",
)
_json = click.option("--json", "as_json", is_flag=True, help="Write JSON for a program to read.")


@world.command(epilog="Example: dayjob world check worlds/larkspur")
@click.argument("path")
@_overlay
@_json
def check(path: str, overlay: Path | None, as_json: bool) -> None:
    """Name everything wrong with the world at PATH, each with file and line."""
    from dayjob.company.world.snapshot import check_world

    folder = _folder(path)
    problems = check_world(folder, overlay)
    if as_json:
        fields = ("rule", "file", "line", "message", "fix")
        click.echo(
            json.dumps({"problems": [{name: getattr(one, name) for name in fields} for one in problems]}, indent=1)
        )
    else:
        for problem in problems:
            click.echo(f"{folder}/{problem}")
        click.echo(f"{folder}: {len(problems)} problem(s)." if problems else f"{folder}: this world is well formed.")
    sys.exit(1 if problems else 0)


@world.command(epilog="Example: dayjob world build worlds/larkspur")
@click.argument("path")
@_overlay
@click.option("--cache", type=click.Path(file_okay=False, path_type=Path), help="Where snapshots are kept.")
@_json
def build(path: str, overlay: Path | None, cache: Path | None, as_json: bool) -> None:
    """Compile the world at PATH to a snapshot, or find the one already made."""
    from dayjob.company.world import WorldError, build_snapshot

    folder = _folder(path)
    started = time.perf_counter()
    try:
        snapshot = build_snapshot(folder, overlay, cache=cache)
    except WorldError as error:
        for problem in error.problems:
            click.echo(f"{folder}/{problem}", err=True)
        click.echo(f"{folder}: not built; mend the {len(error.problems)} problem(s) above.", err=True)
        sys.exit(1)
    seconds = time.perf_counter() - started
    if as_json:
        click.echo(json.dumps({"key": snapshot.key, "path": str(snapshot.path), "seconds": round(seconds, 3)}))
    else:
        click.echo(f"{snapshot.info.name} is ready in {seconds:.2f} s: {snapshot.path}")


@world.command(name="import-tac", epilog="Example: dayjob world import-tac ~/TheAgentCompany worlds/tac")
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@_json
def import_tac(checkout: Path, folder: Path, as_json: bool) -> None:
    """Make a world in DIR from a CHECKOUT of TheAgentCompany; DIR/GAPS.md lists what the checkout does not hold."""
    from collections import Counter

    from dayjob import importing
    from dayjob.importing.gaps import KINDS, by_task, in_words

    try:
        made = importing.import_tac(checkout, folder)
    except importing.CannotImport as error:
        click.echo(f"{error}", err=True)
        sys.exit(2)
    if as_json:
        gaps = [
            {
                "kind": gap.kind,
                "thing": gap.thing,
                "why": gap.why,
                "tasks": gap.tasks,
                "place": gap.place,
                "is_hole": gap.is_hole,
            }
            for gap in made.gaps
        ]
        holes = {task: [gap.thing for gap in found] for task, found in by_task(made.gaps).items()}
        facts = {
            "counts": made.counts,
            "gaps": gaps,
            "tasks": holes,
            "changed": made.written.changed,
            "kept": made.written.kept,
        }
        click.echo(json.dumps({**facts, "removed": made.written.removed}, indent=1))
        return
    click.echo(f"{folder}: {in_words(made.counts)}.")
    for path in made.written.kept:
        click.echo(f"{folder}/{path}: yours, and kept as it is.")
    numbers = Counter(gap.kind for gap in made.gaps)
    for kind in (kind for kind in KINDS if numbers[kind]):
        click.echo(f"  {numbers[kind]:4} gap(s): {KINDS[kind]}")
    click.echo(
        f"{len(by_task(made.gaps))} of {made.counts['tasks']} tasks have a hole. All of it: {folder / 'GAPS.md'}"
    )


def _folder(path: str) -> Path:
    from dayjob.company.world.find import UnknownWorld, find_world

    try:
        return find_world(path)
    except UnknownWorld as error:
        click.echo(f"{error}", err=True)
        sys.exit(2)
