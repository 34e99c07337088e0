"""`dayjob view`: look through runs and trials in a browser, or write them out as a static site."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayjob.cli.folders import fail

if TYPE_CHECKING:
    from dayjob.report.viewer.index import Index


@click.command(epilog="Example: dayjob view runs/ --port 8000")
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--port", default=0, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port.")
@click.option("--export", "out", type=click.Path(path_type=Path), help="Write a static site to this folder and end.")
@click.option("--rebuild", is_flag=True, help="Throw the index away first; it is made again from the evidence.")
def view(folders: tuple[Path, ...], port: int, out: Path | None, rebuild: bool) -> None:
    """Serve the runs below FOLDERS on this machine only, live while they go on. Ctrl-C ends it."""
    for folder in folders:
        if not folder.is_dir():
            fail(f"{folder} is not a folder; name a run's folder, or one with runs in it")
    from dayjob.report.viewer.index import Index, forget, index_place

    if rebuild:
        forget(index_place([folder.resolve() for folder in folders]))
    index = Index(folders)
    try:
        if out is not None:
            _export(index, out)
        else:
            _serve(index, port)
    finally:
        index.close()


def _export(index: Index, out: Path) -> None:
    from dayjob.report.viewer.site import SiteError, write_site

    index.refresh()
    try:
        count = write_site(index, out)
    except SiteError as error:
        fail(str(error))
    except OSError as error:
        fail(f"{error.filename or out} cannot be written: {error.strerror}")
    click.echo(f"{count} files written. Open {out / 'index.html'}, or publish {out} as it is.")


def _serve(index: Index, port: int) -> None:
    import asyncio

    from dayjob.http.server import Server, bind, run
    from dayjob.report.viewer.app import Viewer, kept_up_to_date

    try:
        sock = bind("127.0.0.1", port)
    except OSError as error:
        fail(f"port {port} cannot be opened: {error.strerror}; choose another with --port")

    async def main() -> None:
        async with Server() as server, kept_up_to_date(index):
            await server.listen(Viewer(index), sock)
            click.echo(f"http://127.0.0.1:{sock.getsockname()[1]}/  (Ctrl-C ends it)")
            await asyncio.Event().wait()

    try:
        run(main)
    except KeyboardInterrupt:
        click.echo()
