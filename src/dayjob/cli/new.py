"""`dayjob new`: scaffold a task that already passes `check`. Exit 2 when it cannot be made; nothing is overwritten."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import click

from dayjob.task.colleagues import find_world
from dayjob.task.findings import TaskError
from dayjob.task.scaffold import ScaffoldError, wish, write


@click.command(epilog='Example: dayjob new pay-invoice --services rocketchat,owncloud --npc "Tomas Okafor"')
@click.argument("name")
@click.option("--services", default="", help="Services by comma: rocketchat, gitlab, plane, owncloud.")
@click.option("--npc", "colleagues", multiple=True, help="A colleague's full name; may be given again.")
@click.option("--world", default="larkspur", show_default=True, help="The company the task plays in.")
@click.option("--family", is_flag=True, help="A small family: a task of which each variant has another answer.")
@click.option(
    "--in", "parent", type=click.Path(path_type=Path), help="The folder to make it in (default: tasks/, else here)."
)
def new(name: str, services: str, colleagues: tuple[str, ...], world: str, family: bool, parent: Path | None) -> None:
    """Scaffold the task NAME: a folder that passes `dayjob check`, ready to be changed."""
    if family and (services or colleagues):
        raise click.UsageError("--family writes a family without services and colleagues; add them to it afterwards.")
    if parent is None:
        parent = Path("tasks") if Path("tasks").is_dir() else Path()
    try:
        found = find_world(parent / name, world)
        if found is None:
            raise ScaffoldError(f"there is no world '{world}': name a folder of worlds/")
        asked = wish(name, tuple(part.strip() for part in services.split(",") if part.strip()), colleagues, found)
        asked = replace(asked, family=family)
        folder = write(asked, parent)
    except (ScaffoldError, TaskError) as error:
        click.echo(f"dayjob new: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        click.echo(f"dayjob new: {parent / name} could not be written ({error.strerror})", err=True)
        sys.exit(2)
    click.echo(f"{folder} is ready. Change task.md first, then what proves it done, then: dayjob check {folder}")
