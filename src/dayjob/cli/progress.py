"""How a run looks while it goes on: bars on a terminal, a line per outcome elsewhere, JSON for programs."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import RenderableType

    from dayjob.cli.conduct import RunOptions
    from dayjob.company.world.gaps import Lack
    from dayjob.trial.local_driver import Ended, Event, Stepped

SHOWN_AT_WORK = 8
LACKING_SHOWN = 10


class Lines(AbstractContextManager["Lines"]):
    """One line per outcome; verbose: also one per step."""

    def __init__(self, verbose: bool = False) -> None:
        self._verbose = verbose

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        return None

    def note(self, sentence: str) -> None:
        """Something about the run as a whole."""
        click.echo(sentence, err=True)

    def lacking(self, tasks: dict[str, list[Lack]]) -> None:
        """What worlds lack for tasks of this run, before it begins."""
        from dayjob.company.world.gaps import in_a_line

        for name, lacks in list(tasks.items())[:LACKING_SHOWN]:
            self.note(in_a_line(name, lacks))
        if len(tasks) > LACKING_SHOWN:
            self.note(
                f"{len(tasks) - LACKING_SHOWN} more tasks lack something in their world. GAPS.md there says what."
            )

    def tell(self, event: Event) -> None:
        from dayjob.report.text import COLOURS
        from dayjob.trial.local_driver import Ended

        if isinstance(event, Ended):
            click.secho(_line(event), fg=COLOURS.get(event.outcome.label, "magenta"))
        elif self._verbose:
            click.echo(_step(event))


class Quiet(Lines):
    """Nothing but what somebody has to know."""

    def tell(self, event: Event) -> None:
        return None


class JsonLines(Lines):
    """One JSON object per outcome and, when asked for, per step."""

    def __init__(self, steps: bool) -> None:
        super().__init__()
        self._steps = steps

    def lacking(self, tasks: dict[str, list[Lack]]) -> None:
        for name, lacks in tasks.items():
            click.echo(json.dumps({"event": "lacking", "task": name, "lacks": [asdict(one) for one in lacks]}))

    def tell(self, event: Event) -> None:
        from dayjob.trial.local_driver import Ended

        if isinstance(event, Ended):
            facts = json.loads(event.outcome.to_json())
            click.echo(json.dumps({"event": "outcome", "again": event.again, **facts, "folder": event.spec.out}))
        elif self._steps:
            click.echo(json.dumps({"event": "step", "step": event.step, "folder": event.spec.out}))


class Bars(Lines):
    """A bar with rate and time left, what is at work and where, labels so far and what it has cost."""

    def __init__(self, total: int, before: int, verbose: bool) -> None:
        super().__init__(verbose)
        from rich.live import Live
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.progress import TimeRemainingColumn as TimeLeft

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeLeft(),
        )
        self._bar = self._progress.add_task("trials", total=total, completed=before, rate="")
        self._before = before
        self._labels: Counter[str] = Counter()
        self._cost = 0.0
        self._at_work: dict[str, str] = {}
        self._live = Live(get_renderable=self._picture, refresh_per_second=8, transient=True)

    def __enter__(self) -> Bars:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._live.stop()

    def note(self, sentence: str) -> None:
        self._live.console.print(sentence, style="yellow", highlight=False, markup=False)

    def tell(self, event: Event) -> None:
        from dayjob.report.text import COLOURS
        from dayjob.trial.local_driver import Ended

        if not isinstance(event, Ended):
            self._at_work[event.spec.name] = event.step
            if self._verbose:
                self._live.console.print(_step(event), style="dim", highlight=False, markup=False)
            return
        self._at_work.pop(event.spec.name, None)
        self._cost += _cost(event.outcome.resources)
        style = COLOURS.get(event.outcome.label, "magenta")
        self._live.console.print(_line(event), style=style, highlight=False, markup=False)
        if not event.again:
            self._labels[event.outcome.label.value] += 1
            self._progress.advance(self._bar)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        bar = self._progress.tasks[0]
        if bar.elapsed and bar.completed > self._before:
            self._progress.update(self._bar, rate=f"{(bar.completed - self._before) / bar.elapsed:.1f}/s")
        said = "  ".join(f"{number} {label}" for label, number in self._labels.items())
        if self._cost:
            said += f"  ${self._cost:.2f}"
        at_work = list(self._at_work.items())
        lines = [Text(f"  {name}: {step}", style="dim") for name, step in at_work[:SHOWN_AT_WORK]]
        if len(at_work) > SHOWN_AT_WORK:
            lines.append(Text(f"  and {len(at_work) - SHOWN_AT_WORK} more", style="dim"))
        return Group(*lines, Text(said), self._progress)


def shown_as(options: RunOptions, total: int, before: int) -> Lines:
    """How a run of so many trials, some done before, is shown."""
    if options.as_json:
        return JsonLines(options.steps)
    if options.quiet:
        return Quiet()
    return Bars(total, before, options.verbose) if sys.stdout.isatty() else Lines(options.verbose)


def _step(event: Stepped) -> str:
    return f"  {event.spec.name}: {event.step}"


def _line(event: Ended) -> str:
    from dayjob.report.text import line

    return line(event.outcome) + ("  (tried again)" if event.again else "")


def _cost(resources: dict[str, Any]) -> float:
    return sum(float(one.get("cost_usd") or 0.0) for one in resources.get("models", {}).values())
