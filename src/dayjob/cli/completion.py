"""`dayjob completion`: what makes a shell complete commands, options and names. Exit 2: no shell that it knows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dayjob.cli.folders import fail

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

SHELLS = ("bash", "zsh", "fish")


@click.command(epilog="Example: dayjob completion --install")
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.option("--install", is_flag=True, help="Set it up for your account; new shells have it.")
def completion(shell: str | None, install: bool) -> None:
    """Print the completion script of SHELL (default: the one you use), or set it up with --install."""
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        fail(f"It is not clear which shell is meant; name one of {', '.join(SHELLS)}: dayjob completion bash")
    script = _script(name)
    if not install:
        click.echo(script)
        return
    try:
        places = _installed(name, script)
    except OSError as error:
        fail(f"{error.filename} cannot be written: {error.strerror}")
    click.echo(f"New {name} shells complete dayjob. Written: {', '.join(map(str, places))}")


def _script(shell: str) -> str:
    from click.shell_completion import get_completion_class

    from dayjob.cli import dayjob

    kind = get_completion_class(shell)
    assert kind is not None
    # Click's own call for bash first asks the bash at hand for its version, which no script needs.
    maker = kind(dayjob, {}, "dayjob", "_DAYJOB_COMPLETE")
    return str(maker.source_template % maker.source_vars()).strip()


def _installed(shell: str, script: str) -> list[Path]:
    """Where it was written to. Doing it again changes nothing."""
    from dayjob.whole_files import write_whole

    home = Path.home()
    if shell == "fish":
        place = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish/completions/dayjob.fish"
    else:
        place = Path(os.environ.get("XDG_DATA_HOME") or home / ".local/share") / f"dayjob/completion.{shell}"
    place.parent.mkdir(parents=True, exist_ok=True)
    write_whole(place, f"{script}\n".encode(), mode=0o644)
    if shell == "fish":
        return [place]
    settings = home / f".{shell}rc"
    line = f'. "{place}"  # dayjob completion'
    before = settings.read_text("utf-8") if settings.exists() else ""
    if line not in before.splitlines():
        gap = "" if not before or before.endswith("\n") else "\n"
        with settings.open("a", encoding="utf-8") as file:
            file.write(f"{gap}{line}\n")
    return [place, settings]


def agents(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Names of agents that begin so."""
    from dayjob.agent.registry import NAMES

    return _beginning(begun, [name.removesuffix("LINE") for name in NAMES])


def worlds(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Names of worlds that begin so."""
    from dayjob.company.world.find import world_names

    return _beginning(begun, world_names())


def task_names(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Paths, as everywhere, and the tasks that come with dayjob whose names begin so."""
    from click.shell_completion import CompletionItem

    from dayjob.task.find import own_tasks

    paths = CompletionItem(begun, type="file")
    return [paths, *_beginning(begun, [task.name for task in own_tasks()])]


def _beginning(begun: str, names: list[str]) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(begun)]
