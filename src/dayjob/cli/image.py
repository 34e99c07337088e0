"""`dayjob image`: task images for docker, and keys to seal them with.

Exit 1 when an image does not build, 2 when there was nothing to build or no key to seal it with.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import click

from dayjob.cli.folders import fail, task_folders
from dayjob.cli.variants import made_folder


@click.group()
def image() -> None:
    """Task images, for docker."""


@image.command(epilog="Example: dayjob image build tasks/example")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--base", help="What the base image is built on (default: $DAYJOB_DOCKER_BASE, or debian:trixie-slim).")
@click.option("--base-only", is_flag=True, help="Only the base image, dayjob/task-base:1.")
@click.option("--seal", is_flag=True, help="Seal evaluators, references and init scripts with $DAYJOB_SEAL_KEY[_FILE].")
@click.option("-v", "--verbose", is_flag=True, help="Show what the builds say.")
def build(paths: tuple[Path, ...], base: str | None, base_only: bool, seal: bool, verbose: bool) -> None:
    """Build the base image and the images of task folders, or of every task folder right below each of PATHS.

    A sealed image may travel: whoever has it and not the key can read neither how it is graded nor the answers.
    """
    from dayjob.grading.seal import SealError, read_key
    from dayjob.sandbox.docker.site import BASE_TAG, DockerSite
    from dayjob.sandbox.sandbox import BuildError, SandboxError
    from dayjob.task import Task, TaskError

    if not paths and not base_only:
        fail("Name task folders, or say --base-only.")
    folders = [] if base_only else task_folders(paths)
    try:
        key = read_key(os.environ) if seal else None
    except SealError as error:
        fail(f"{error}. A new key: dayjob image key seal.key")

    async def main() -> int:
        failed = 0
        async with DockerSite(base) as site:
            log = await site.build_base()
            click.echo(f"{BASE_TAG}: {'built' if log else 'there already'}")
            if verbose:
                click.echo(log)
            for folder in folders:
                try:
                    task = Task.load(await asyncio.to_thread(made_folder, folder, "docker"))
                    place = task.path.resolve()
                    if key is not None:
                        built = await site.build_sealed(place, task.dockerfile, key)
                    else:
                        built = await site.build(place, task.dockerfile, within=1800)
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


@image.command(epilog="Example: dayjob image key seal.key && export DAYJOB_SEAL_KEY_FILE=$PWD/seal.key")
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def key(file: Path | None) -> None:
    """Make a key to seal images with: into FILE, readable by you alone, or onto the terminal."""
    from dayjob.grading.seal import new_key

    if file is None:
        click.echo(new_key())
        return
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        fail(f"{file} exists; what is sealed with the key in it would be lost. Name another file.")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}.")
    with os.fdopen(handle, "w") as out:
        out.write(new_key() + "\n")
    click.echo(f"{file} holds a new key. Keep it out of the repository and out of images.")
