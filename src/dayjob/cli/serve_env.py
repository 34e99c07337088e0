"""`dayjob serve-env`: tasks as OpenEnv environments over HTTP, WebSocket and MCP."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayjob.cli.folders import fail

if TYPE_CHECKING:
    from dayjob.adapters.openenv import Offered


@click.command(epilog="Example: dayjob serve-env example payroll-by-team --variants 20 --sessions 16")
@click.argument("tasks", nargs=-1, required=True)
@click.option("--variants", default=1, show_default=True, type=click.IntRange(1), help="Of each family, from 0 on.")
@click.option("--sessions", default=8, show_default=True, type=click.IntRange(1), help="Companies at once, at most.")
@click.option(
    "--idle", default=60, show_default=True, type=click.IntRange(1), help="Minutes after which a quiet session ends."
)
@click.option(
    "--rewarded",
    default="change",
    show_default=True,
    type=click.Choice(["change", "end"]),
    help="After each call for what it changed, or with 'finish' for all of it.",
)
@click.option("--world", help="Another world than the tasks' own.")
@click.option("--npc-model", help="Who thinks for colleagues.")
@click.option("--judge-model", help="Who judges texts.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Whoever reaches it can use up this machine.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="0 takes any free port.")
def serve_env(
    tasks: tuple[str, ...],
    variants: int,
    sessions: int,
    idle: int,
    rewarded: str,
    world: str | None,
    npc_model: str | None,
    judge_model: str | None,
    host: str,
    port: int,
) -> None:
    """Serve TASKS (folders or names) as OpenEnv environments, each session with a company of its own.

    Needs the extra 'openenv'. Ctrl-C ends it.
    """
    try:
        from dayjob.adapters.openenv import Serving
    except ModuleNotFoundError as error:
        fail(str(error))
    import signal

    import uvicorn

    from dayjob.env import SyncWorkshop
    from dayjob.http.server import bind

    offered = _offered(tasks, variants)
    try:
        sock = bind(host, port)
    except OSError as error:
        fail(f"port {port} of {host} cannot be opened: {error.strerror}; choose another with --port")
    # When it has ended, uvicorn sends itself the signal that ended it; what is open is closed for either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with SyncWorkshop() as workshop:
        serving = Serving(
            offered, workshop, sessions=sessions, idle=idle * 60, rewarded="end" if rewarded == "end" else "change",
            world=world, npc_model=npc_model, judge_model=judge_model,
        )  # fmt: skip
        tasks_are = f"{len(offered)} task{'s' if len(offered) != 1 else ''}"
        click.echo(f"http://{host}:{sock.getsockname()[1]}/  {tasks_are} (Ctrl-C ends it)")
        with contextlib.closing(serving), contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(uvicorn.Config(serving.app, log_level="warning")).run(sockets=[sock])


def _offered(tasks: tuple[str, ...], variants: int) -> list[Offered]:
    from dayjob.adapters.openenv import Offered
    from dayjob.task.family import is_family
    from dayjob.task.find import named
    from dayjob.task.model import is_task_folder

    found = []
    for one in tasks:
        folder = named(Path(one)).resolve()
        if not is_task_folder(folder):
            fail(f"there is no task '{one}'; `dayjob tasks` lists those that come with dayjob")
        if is_family(folder):
            found += [Offered(f"{folder.name}-{number}", str(folder), number) for number in range(variants)]
        else:
            found.append(Offered(folder.name, str(folder)))
    return found
