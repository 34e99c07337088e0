"""`dayjob world check|build`: what is wrong with a world's files, and the snapshot they compile to."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click


@click.group()
def world() -> None:
    """Check a world's files, or compile them to a snapshot."""


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


def _folder(path: str) -> Path:
    from dayjob.company.world.find import UnknownWorld, find_world

    try:
        return find_world(path)
    except UnknownWorld as error:
        click.echo(f"{error}", err=True)
        sys.exit(2)
