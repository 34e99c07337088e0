"""The command `dayjob`: one file per command, and none of them imported before it is asked for.

A command is a row of `COMMANDS`: its name, the module that holds it (as an attribute of the same name) and the one
line `dayjob --help` shows. Keeping that line here is what lets `--help` import nothing but Click.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from dayjob import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

COMMANDS: Mapping[str, tuple[str, str]] = {
    "new": ("dayjob.cli.new", "Scaffold a task that already passes `check`."),
    "check": ("dayjob.cli.check", "Lint task folders."),
    "test": ("dayjob.cli.test", "Prove a task: oracle full, nop and echo zero, mutants caught, graded twice alike."),
    "tasks": ("dayjob.cli.tasks", "The tasks that come with dayjob: role, services, points, difficulty."),
    "run": ("dayjob.cli.run", "Run tasks with an agent."),
    "resume": ("dayjob.cli.resume", "Go on with a run that was stopped."),
    "regrade": ("dayjob.cli.regrade", "Grade kept work again, with the evaluators as they are now."),
    "shell": ("dayjob.cli.shell", "Sit the exam yourself, then be graded."),
    "colleagues": ("dayjob.cli.colleagues", "Talk to the colleagues of a task, and see why they say what they say."),
    "report": ("dayjob.cli.report", "What the trials of a run add up to."),
    "view": ("dayjob.cli.view", "Look through runs and trials in a browser."),
    "export": ("dayjob.cli.export", "Runs in other formats: TAC's layout, ATIF, flat rows."),
    "serve-env": ("dayjob.cli.serve_env", "Serve tasks as OpenEnv environments, for learners elsewhere."),
    "company": ("dayjob.cli.company", "The four services, for people and clients."),
    "world": ("dayjob.cli.world", "Check a world's files, or compile them to a snapshot."),
    "image": ("dayjob.cli.image", "Task images, for docker."),
    "completion": ("dayjob.cli.completion", "Let your shell complete commands, options and names."),
    "doctor": ("dayjob.cli.doctor", "What this machine can run, what to install for the rest, what was left behind."),
}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def __init__(self, *args: object, rows: Mapping[str, tuple[str, str]], **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # Click's own signature is this loose
        self.rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.rows)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.rows:
            return None
        command: click.Command = getattr(importlib.import_module(self.rows[name][0]), name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.rows and not ctx.resilient_parsing:
            from dayjob.nearest import did_you_mean

            ctx.fail(f"There is no command '{args[0]}'.{did_you_mean(args[0], self.rows)}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [CompletionItem(name, help=line) for name, (_, line) in self.rows.items() if name.startswith(incomplete)]

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            ctx.exit(130)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self.rows.items()])


@click.group(
    cls=LazyGroup,
    rows=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Start with: dayjob new my-task && dayjob check my-task",
)
@click.version_option(__version__, "--version", message="dayjob %(version)s")
def dayjob() -> None:
    """Put AI agents to work in a small, private, simulated company and measure what they get done."""


def main() -> None:
    """Run the command; a closed pipe downstream (`dayjob … | head`) is a normal end."""
    try:
        dayjob()
    except (BrokenPipeError, BaseExceptionGroup) as error:
        # What is told while several trials are at work fails in a group of theirs.
        if isinstance(error, BaseExceptionGroup) and error.subgroup(BrokenPipeError) is None:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
