"""One trial told to a person: what was asked, what happened in the company, what it was worth, where the time went.

Everything is read from the trial's evidence folder and its task; what is missing there is left out, not guessed.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from dayjob.report.results import Trial
from dayjob.report.score_line import Line, read_line
from dayjob.report.text import COLOURS
from dayjob.task.findings import TaskError
from dayjob.task.reading import read_text
from dayjob.task.rubric import parse_rubric
from dayjob.trial.colleague_rows import COUNTED, SHOWN, fault_in_words
from dayjob.trial.judged import vote_in_words
from dayjob.trial.outcome import Outcome
from dayjob.trial.steps import TOLD

MOST_MOMENTS = 30


def tell(console: Console, trial: Trial) -> None:
    """Print the story of one trial."""
    outcome = trial.outcome
    colour = COLOURS.get(outcome.label, "magenta")
    title = Text.assemble((outcome.task, "bold"), f" · {outcome.agent} · ", (outcome.label.value, f"bold {colour}"))
    parts: list[RenderableType] = []
    for heading, body in (
        ("What was asked", _asked(trial)),
        ("What happened in the company, as its services saw it", _happened(trial.folder)),
        ("What it was worth", worth(outcome, _task_text(trial, "checkpoints.md"))),
        ("What it was worth along the way", along_the_way(read_line(trial.folder) if outcome.score_line else None)),
        ("Colleagues", colleagues(outcome)),
        ("Where the time went", _times(trial)),
    ):
        if body is not None:
            parts += [Text(heading, style="bold"), Padding(body, (0, 0, 1, 2))]
    if outcome.stopped:
        waited = f" (it waited {outcome.waited_for_model:.0f} s for its model)" if outcome.waited_for_model >= 1 else ""
        parts.append(Text(f"The agent stopped: {outcome.stopped}{waited}", style="dim"))
    if outcome.reason:
        parts.append(Text(outcome.reason, style=colour))
    console.print(Panel(Group(*parts), title=title, title_align="left", border_style=colour, padding=(1, 2)))


def _task_text(trial: Trial, name: str) -> str:
    try:
        folder = Path(json.loads((trial.folder / "spec.json").read_text("utf-8"))["task"])
        return read_text(folder, name)
    except (TaskError, OSError, ValueError, KeyError):  # the task has moved since: the evidence stands without it
        return ""


def _asked(trial: Trial) -> Text | None:
    paragraphs = [" ".join(one.split()) for one in _task_text(trial, "task.md").split("\n\n") if one.strip()]
    return Text(textwrap.shorten(" ".join(paragraphs), 420, placeholder=" …")) if paragraphs else None


def _happened(folder: Path) -> Table | None:
    try:
        changes = json.loads((folder / "changes.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    table = Table.grid(padding=(0, 2))
    for change in changes[:12]:
        table.add_row(
            Text(change["service"], style="cyan"), Text(textwrap.shorten(change["words"], 150, placeholder=" …"))
        )
    if len(changes) > 12:
        table.add_row("", Text(f"… and {len(changes) - 12} more, in changes.json", style="dim"))
    if not changes:
        table.add_row(Text("Nothing changed.", style="dim"))
    return table


def tell_worth(console: Console, outcome: Outcome, rubric: str) -> None:
    """Print what one trial was worth, checkpoint by checkpoint, for whoever has just sat it."""
    colour = COLOURS.get(outcome.label, "magenta")
    title = Text.assemble((outcome.task, "bold"), f" · {outcome.agent} · ", (outcome.label.value, f"bold {colour}"))
    body = worth(outcome, rubric)
    parts: list[RenderableType] = [body] if body is not None else []
    if outcome.reason:
        parts.append(Text(outcome.reason, style=colour))
    console.print(Panel(Group(*parts), title=title, title_align="left", border_style=colour, padding=(1, 2)))


def worth(outcome: Outcome, rubric: str) -> Table | None:
    """Each checkpoint's points, its words in checkpoints.md and the reason its check gave; the judge; the score."""
    if not outcome.checkpoints:
        return None
    told = list(meanings(rubric))
    if len(told) != len(outcome.checkpoints):
        told = [f"Checkpoint {number}" for number in range(1, len(outcome.checkpoints) + 1)]
    table = Table.grid(padding=(0, 2))
    for one, meaning in zip(outcome.checkpoints, told, strict=True):
        got, total = one["result"], one["total"]
        sign, style = ("✓", "green") if got == total else ("◐", "yellow") if got else ("✗", "red")
        table.add_row(Text(f"{sign} {got}/{total}", style=style), Text(meaning))
        if one.get("reason"):
            table.add_row("", Text(f"→ {one['reason']}", style="dim" if got == total else style))
    for sentence in outcome.raised:
        table.add_row(Text("!", style="red"), Text(f"The evaluator failed in a check: {sentence}", style="red"))
    for one in outcome.judged:
        question = textwrap.shorten(one["question"], 200, placeholder=" …")
        table.add_row("judge", Text(f"{one['verdict']}, {one['agreement']} votes: {question}"))
        for vote in one["votes"]:
            table.add_row("", Text(f"→ {vote_in_words(vote)}", style="dim"))
    table.add_row(Text(f"= {outcome.result}/{outcome.total}", style="bold"), "")
    return table


def along_the_way(line: Line | None) -> Table | None:
    """The moments at which points came or went, and what was lost again."""
    if line is None or not line.points:
        return None
    table = Table.grid(padding=(0, 2))
    moved = [one for one in line.points if one.moves]
    for one in moved[:MOST_MOMENTS]:
        words = Text("\n").join(Text(move.words, style="green" if move.points > 0 else "red") for move in one.moves)
        after = f"step {one.step}" if one.step is not None else ""
        table.add_row(f"{one.at:.1f} s", after, Text(f"{one.result}/{one.total}", style="bold"), words)
    if len(moved) > MOST_MOMENTS:
        table.add_row("", "", "", Text(f"… and {len(moved) - MOST_MOMENTS} more, in score-line.json", style="dim"))
    if not moved:
        table.add_row(Text("It was worth nothing at any time.", style="dim"))
    if line.lost > 0 and (best := line.best) is not None:
        said = f"It was worth {best.result} of {best.total} after {best.at:.1f} s; {line.lost} went again."
        table.add_row("", "", "", Text(said, style="red"))
    return table


def colleagues(outcome: Outcome) -> Table | None:
    """What each colleague was asked and what came of it; a fault of theirs with its words."""
    rows = [(name, row) for name, row in outcome.colleagues.items() if any(row.get(one) for one in COUNTED)]
    if not rows and not outcome.colleague_fault:
        return None
    table = Table.grid(padding=(0, 2))
    for name, row in rows:
        counts = ", ".join(f"{row[one]} {shown}" for one, shown in SHOWN.items() if row.get(one))
        table.add_row(Text(name, style="cyan"), Text(counts))
    for fault in outcome.colleague_fault:
        table.add_row(Text("!", style="red"), Text(f"{fault_in_words(fault)} (the score stands)", style="red"))
    return table


def meanings(rubric: str) -> Iterator[str]:
    """The first words below each checkpoint's heading."""
    lines = rubric.splitlines()
    places = [*(line for _, line in parse_rubric(rubric).checkpoints), len(lines) + 1]
    for start, end in pairwise(places):
        yield " ".join(" ".join(lines[start : end - 1]).split())


def _times(trial: Trial) -> Table | None:
    timings = trial.outcome.timings
    whole = timings.get("all", 0.0)
    if not whole:
        return None
    table = Table.grid(padding=(0, 2))
    for step in TOLD:
        if step in timings:
            bar = "█" * round(40 * timings[step] / whole) or "▏"
            table.add_row(step, Text(f"{timings[step] * 1000:.0f} ms", justify="right"), Text(bar, style="blue"))
    table.add_row(Text("in all", style="bold"), Text(f"{whole * 1000:.0f} ms", justify="right", style="bold"), "")
    return table
