"""`dayjob image build`: task images for docker. Exit 1 when one does not build, 2 when there was nothing to build."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from dayjob.cli.folders import fail, task_folders


@click.group()
def image() -> None:
    """Task images, for docker."""


@image.command(epilog="Example: dayjob image build tasks/example")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--base", help="What the base image is built on (default: $DAYJOB_DOCKER_BASE, or python:3.12-slim).")
@click.option("--base-only", is_flag=True, help="Only the base image, dayjob/task-base:1.")
@click.option("-v", "--verbose", is_flag=True, help="Show what the builds say.")
def build(paths: tuple[Path, ...], base: str | None, base_only: bool, verbose: bool) -> None:
    """Build the base image and the images of task folders, or of every task folder right below each of PATHS."""
    from dayjob.sandbox.docker.site import BASE_TAG, DockerSite
    from dayjob.sandbox.sandbox import BuildError, SandboxError
    from dayjob.task import Task, TaskError

    if not paths and not base_only:
        fail("Name task folders, or say --base-only.")
    folders = [] if base_only else task_folders(paths)

    async def main() -> int:
        failed = 0
        async with DockerSite(base) as site:
            log = await site.build_base()
            click.echo(f"{BASE_TAG}: {'built' if log else 'there already'}")
            if verbose:
                click.echo(log)
            for folder in folders:
                try:
                    task = Task.load(folder)
                    built = await site.build(task.path.resolve(), task.dockerfile, within=1800)
                except (BuildError, TaskError) as error:
                    failed += 1
                    click.echo(f"{folder}: {error}", err=True)
                    continue
                click.echo(f"{folder}: {built.name} ({built.seconds:.1f} s)")
                if verbose:
                    click.echo(built.log)
        return failed

    try:
        sys.exit(1 if asyncio.run(main()) else 0)
    except SandboxError as error:
        fail(str(error))
