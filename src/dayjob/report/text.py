"""Outcomes and their summary as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from dayjob.report.summary import Summary
from dayjob.trial.outcome import EXHAUSTED, MEANINGS, Label, Outcome

COLOURS = {Label.RESOLVED: "green", Label.PARTIAL: "yellow", Label.FAILED: "red"}


_ENDED = {
    "timeout": "  (time was up)",
    "budget": "  (the budget was spent)",
    EXHAUSTED: "  (exhausted its company)",
}


def line(outcome: Outcome) -> str:
    """One trial: `example · oracle   resolved  8/8   1+3+2+1+1   0.9 s`."""
    name = f"{outcome.task} · {outcome.agent}" + (
        f" {outcome.which}" if outcome.attempt > 1 or outcome.variant is not None else ""
    )
    seconds = f"{outcome.timings.get('all', 0.0):.1f} s"
    if outcome.total is None:
        return f"{name:32} {outcome.label.value:13} {seconds:>8}  {outcome.reason}"
    parts = " ".join(f"{one['result']}/{one['total']}" for one in outcome.checkpoints)
    late = _ENDED.get(outcome.ended, "")
    return f"{name:32} {outcome.label.value:13} {seconds:>8}  {outcome.result}/{outcome.total}  [{parts}]{late}"


def summary_lines(summary: Summary) -> Iterable[str]:
    trials = f"{summary.trials} trial" + "s" * (summary.trials != 1)
    if summary.resolved is None or summary.interval is None:
        yield f"{trials}, none scored."
    else:
        low, high = summary.interval
        yield (
            f"{summary.scored} of {trials} scored: {summary.resolved:.0%} resolved "
            f"(95 % interval {low:.0%} to {high:.0%}), partial score {summary.partial:.2f}."
        )
    if summary.exhausted:
        yield f"Of these {summary.exhausted} failed because the agent exhausted its company."
    if summary.colleague_faults:
        yield f"In {summary.colleague_faults} a colleague was at fault; the scores stand, and dayjob report says more."
    for label, number in summary.labels.items():
        meaning = MEANINGS[Label(label)]
        if not meaning.scored:
            yield f"Not scored: {number} × {label} ({meaning.sentence})."
