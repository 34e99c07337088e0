"""What `run` and `resume` do alike: work through what is left of a run, show it, sum it up, choose the exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from dayjob.cli.folders import fail, ready_or_fail

if TYPE_CHECKING:
    from dayjob.trial.local_driver import Event
    from dayjob.trial.outcome import Label, Outcome
    from dayjob.trial.run_folder import Opened


PARALLEL = "Trials at a time (default: 2; with --on ray, one per CPU of the cluster)."
_PARALLEL_HERE = 2


_OPTIONS = (
    click.option(
        "--retries", default=1, show_default=True, type=click.IntRange(0), help="Further tries after our faults."
    ),
    click.option("--processes", type=click.IntRange(1), help="Worker processes (default: one per core)."),
    click.option(
        "--on", default="local", show_default=True,
        help="Where: local, ray (the cluster this machine is in, or one of its own), or ray:ADDRESS.",
    ),
    click.option("-q", "--quiet", is_flag=True, help="Only what the run came to, no line per trial."),
    click.option("-v", "--verbose", is_flag=True, help="Also a line per step of each trial."),
    click.option("--json", "as_json", is_flag=True, help="One JSON object per trial, as it ends."),
    click.option("--steps", is_flag=True, help="With --json: also one per step of a trial."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is worked through and shown."""

    parallel: int | None
    retries: int
    processes: int | None
    on: str
    """`local`, or `ray` with or without `:ADDRESS`."""
    quiet: bool
    verbose: bool
    as_json: bool
    steps: bool


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a command that works through a run, in the order of its help; it gets them as `options`."""

    @wraps(command)
    def collected(**given: Any) -> None:
        options = RunOptions(**{field.name: given.pop(field.name) for field in fields(RunOptions)})
        _check(options)
        command(options=options, **given)

    for option in reversed(_OPTIONS):
        collected = option(collected)
    return collected


def _check(options: RunOptions) -> None:
    """Before anything is looked for or made."""
    where, _, address = options.on.partition(":")
    if where not in ("local", "ray") or (where == "local" and address):
        fail(f"--on {options.on}: trials run on local, ray or ray:ADDRESS")
    if where == "ray" and options.processes:
        fail("--processes is for --on local; on a cluster there is one process per trial, and -n says how many")
    if options.quiet + options.verbose + options.as_json > 1:
        fail("--quiet, --verbose and --json each say how a run is shown; name one of them")


def conduct(
    run: AbstractContextManager[Opened], options: RunOptions, again: Sequence[Label] = (), *, resumed: bool = False
) -> None:
    """Run what is not done. Exit 0: all scored; 1: one is not; 2: it could not be; 130: stopped.

    `resumed`: nobody has looked yet whether what is left can be run.
    """
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.trial.run_folder import RunError
    from dayjob.trial.worklist import not_done

    try:
        with run as opened:
            if resumed:
                ready_or_fail(list(not_done(opened, again)), here=options.on == "local")
            sys.exit(_work(opened, options, again))
    except BrokenPipeError:
        raise  # whoever read our output has gone: `main` knows what to do
    except (RunError, SandboxError, OSError) as error:
        fail(str(error))


def _work(opened: Opened, options: RunOptions, again: Sequence[Label]) -> int:
    import uvloop

    from dayjob.cli.progress import shown_as
    from dayjob.llm.run_limits import FILE, Desk
    from dayjob.report.summary import summarise
    from dayjob.report.text import summary_lines
    from dayjob.trial.local_driver import Ended, Stop, work_through
    from dayjob.trial.readiness import lacking, run_budget
    from dayjob.trial.worklist import Worklist, not_done

    todo = list(not_done(opened, again))
    worklist = Worklist(todo, options.retries)
    desk = Desk(run_budget(opened.specs), opened.folder / FILE, len(opened.specs))
    before = len(opened.specs) - worklist.total
    shown = shown_as(options, len(opened.specs), before)
    if before:
        shown.note(f"{before} of {len(opened.specs)} trials are done; {worklist.total} to run.")
    shown.lacking(lacking(todo))
    stopped = spent = False

    def tell(event: Event) -> None:
        nonlocal spent
        if isinstance(event, Ended):
            opened.note_image(event.outcome)
        shown.tell(event)
        if not spent and (sentence := desk.exhausted) is not None:
            spent = True
            worklist.drop()
            shown.note(f"No more trials are begun. {sentence}")

    async def main() -> None:
        nonlocal stopped
        stop = Stop(lambda: shown.note("Stopping: trials at work are cancelled. Once more ends it now."))
        stop.listen()
        if options.on == "local":
            await work_through(
                worklist,
                parallel=options.parallel or _PARALLEL_HERE,
                tell=tell,
                stop=stop,
                processes=options.processes,
                hold=opened.hold,
                desk=desk,
            )
        else:
            from dayjob.trial import ray_driver

            address = options.on.partition(":")[2] or None
            await ray_driver.work_through(
                worklist, address=address, parallel=options.parallel, tell=tell, stop=stop, note=shown.note, desk=desk
            )
        stopped = stop.asked.is_set()

    with shown:
        if worklist.total:
            uvloop.run(main())
    # Read back rather than kept: a run holds nothing of a trial that has ended, and what is on the disk is what counts.
    outcomes = [_slim(found) for spec in opened.specs if (found := opened.outcome(spec)) is not None]
    if not options.as_json:
        click.echo()
        for text in summary_lines(summarise(outcomes)):
            click.echo(text)
        if stopped:
            click.echo(f"Stopped. Go on with: dayjob resume {opened.folder}")
        else:
            click.echo(f"Everything is in {opened.folder}. See it again: dayjob report {opened.folder}")
    if stopped:
        return 130
    return 0 if len(outcomes) == len(opened.specs) and all(one.scored for one in outcomes) else 1


def _slim(outcome: Outcome) -> Outcome:
    """What the closing summary needs, so that ten thousand of them are a few megabytes."""
    from dayjob.trial.outcome import Outcome

    timings = {"all": outcome.timings.get("all", 0.0)}
    return Outcome(
        outcome.task,
        outcome.agent,
        outcome.attempt,
        outcome.label,
        result=outcome.result,
        total=outcome.total,
        timings=timings,
    )
