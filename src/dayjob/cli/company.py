"""`dayjob company serve`: the four services for people and clients, until Ctrl-C."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from dayjob.cli.completion import worlds
from dayjob.cli.mcp import mcp

if TYPE_CHECKING:
    from dayjob.company.company import Company


@click.group()
def company() -> None:
    """The four services, for people and clients."""


company.add_command(mcp)


@company.command(epilog="Example: dayjob company serve --world larkspur --state ~/larkspur")
@click.option(
    "--world",
    "world_name",
    default="larkspur",
    show_default=True,
    shell_complete=worlds,
    help="A world's name or folder.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    "ports",
    multiple=True,
    metavar="SERVICE=PORT",
    help="Another port than the world's, as chat=13000; 0 takes any free one. May be repeated.",
)
@click.option(
    "--state",
    type=click.Path(file_okay=False, path_type=Path),
    help="Keep the company in this folder, and go on from it next time.",
)
@click.option(
    "--runner/--no-runner",
    default=True,
    help="Run CI jobs in rooms of this machine, where it can make them (the default), or leave them to another runner.",
)
def serve(world_name: str, host: str, ports: tuple[str, ...], state: Path | None, runner: bool) -> None:
    """Serve a company: prints its addresses and accounts, then serves until Ctrl-C."""
    from dayjob import owned
    from dayjob.company.company import Company
    from dayjob.company.state import StateError, open_kept
    from dayjob.company.world import WorldError, build_snapshot
    from dayjob.company.world.find import UnknownWorld, find_world
    from dayjob.http.server import run

    try:
        snapshot = build_snapshot(find_world(world_name))
    except (UnknownWorld, WorldError) as error:
        _fail(str(error))
    wanted = dict(snapshot.info.ports)
    for text in ports:
        service, _, port = text.partition("=")
        if service not in wanted or not port.isdigit() or int(port) > 65535:
            _fail(f"'{text}' is not SERVICE=PORT; the services are {', '.join(wanted)}.")
        wanted[service] = int(port)
    owned.sweep_folders()
    try:
        served = open_kept(snapshot, state) if state else Company(snapshot)
    except StateError as error:
        _fail(str(error))
    try:
        run(lambda: _serve(served, host, wanted, state, runner))
    except KeyboardInterrupt:
        click.echo("\nThe company is closed." + (f" Its state is in {state}." if state else ""))
    except OSError as error:
        if error.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES):
            raise
        _fail(
            f"{error.filename or host} cannot be listened on: {error.strerror}. Choose another with --port or --host."
        )
    finally:
        served.close()


async def _serve(company: Company, host: str, ports: dict[str, int], state: Path | None, runner: bool) -> None:
    import asyncio
    import signal
    from contextlib import AsyncExitStack

    from dayjob.company.host import Host
    from dayjob.http.server import bind
    from dayjob.service_names import NAMES

    async with Host() as serving, AsyncExitStack() as stack:
        addresses = {}
        for service in (*NAMES, "control"):
            try:
                sock = bind(host, ports[service])
            except OSError as error:
                raise OSError(error.errno, error.strerror, f"{host}:{ports[service]} ({service})") from error
            port = sock.getsockname()[1]
            addresses[service] = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
            await serving.serve(company, service, sock)
        company.begin_time()
        about = "jobs wait for a runner of your own"
        if runner:
            from dayjob.cli.served_runner import served_runner  # late: it needs what makes rooms

            about = await stack.enter_async_context(served_runner(company, serving))
        _introduce(company, addresses, state, about)
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        await stopped.wait()
    raise KeyboardInterrupt


def _introduce(company: Company, addresses: dict[str, str], state: Path | None, jobs: str) -> None:
    from dayjob.service_names import WIRES

    world = company.world
    click.secho(f"{world.name} is open.", bold=True)
    click.echo(f"Its clock says {company.clock.stamp()[:16].replace('T', ' ')}.")
    click.echo()
    for service, address in addresses.items():
        click.echo(f"  {service:8} {WIRES.get(service, 'control API'):12} {address}")
    click.echo()
    for service, account in world.accounts.items():
        facts = ", ".join(f"{key} {value}" for key, value in account.items())
        click.echo(f"  {service:8} {facts}")
    for person in world.people:
        if person.password:
            click.echo(f"  {'person':8} {person.name}, username {person.username}, password {person.password}")
    click.echo()
    click.echo(f"  control  token {company.control_token}")
    click.echo(f"  CI       {jobs}")
    click.echo(f"  state    {state if state else 'thrown away at the end; --state DIR keeps it'}")
    click.echo()
    click.echo("Ctrl-C closes the company.")
    sys.stdout.flush()


def _fail(sentence: str) -> NoReturn:
    click.echo(sentence, err=True)
    sys.exit(2)
