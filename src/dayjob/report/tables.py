"""A report as titled tables of short texts, in the order a reader wants them; every format prints these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dayjob.report.breakdown import Group
from dayjob.report.colleague_rates import Rates
from dayjob.report.compare import Comparison
from dayjob.report.intervals import Interval
from dayjob.report.report_data import ReportData
from dayjob.trial.colleague_rows import fault_in_words
from dayjob.trial.outcome import EXHAUSTED, MEANINGS, Label

MOST_KEPT_BACK = 200


@dataclass(frozen=True, slots=True)
class Table:
    """`numbers` are the columns that are read as figures, and so stand to the right."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str = ""
    numbers: frozenset[int] = field(default_factory=frozenset)


def headline(found: ReportData) -> str:
    whole = found.whole
    if whole.resolved is None:
        return f"{_count(whole.trials, 'trial')}, none scored."
    agents = len(found.by.get("agent", ()))
    together = f", {agents} agents together" if agents > 1 else ""
    said = f"{whole.scored:,} of {_count(whole.trials, 'trial')} scored, {_count(whole.tasks, 'task')}{together}: "
    return f"{said}{_with(whole.resolved, whole.resolved_interval)} resolved, partial score " + _with(
        whole.partial, whole.partial_interval
    )


def methods(found: ReportData) -> str:
    """How the intervals of the headline were made."""
    parts = []
    if found.whole.resolved_interval:
        parts.append(f"resolved: {found.whole.resolved_interval.method}")
    if found.whole.partial_interval:
        parts.append(f"partial score: {found.whole.partial_interval.method}")
    return "95 % intervals. " + "; ".join(parts) + "." if parts else ""


def tables(found: ReportData) -> Iterator[Table]:
    if found.comparison is not None:
        yield from comparison_tables(found.comparison)
    for dimension, groups in found.by.items():
        yield _groups(dimension, groups)
    for entrant, rows in found.repeats.items():
        if len(rows) > 1:
            yield Table(
                f"Repeated attempts: {entrant}",
                ["k", "tasks", "pass@k: one of k resolves", "pass^k: all k resolve"],
                [
                    [
                        str(row.k),
                        str(row.tasks),
                        _with(row.at_least_one, row.at_least_one_interval),
                        _with(row.all_of_them, row.all_of_them_interval),
                    ]
                    for row in rows
                ],
                "Unbiased over every choice of k attempts, averaged over tasks with at least k.",
                frozenset({0, 1}),
            )
    if found.checkpoints:
        yield Table(
            "By checkpoint",
            ["task", "agent", "checkpoint", "points", "trials", "full points", "share of points", "what it asks"],
            [
                [
                    row.task,
                    row.entrant,
                    str(row.number),
                    str(row.points),
                    str(row.trials),
                    _with(row.full, row.full_interval),
                    f"{row.share:.0%}",
                    _short(row.meaning, 80),
                ]
                for row in found.checkpoints
            ],
            numbers=frozenset({2, 3, 4, 6}),
        )
    if kept_back := [(row, reason, count) for row in found.checkpoints for reason, count in row.kept_back]:
        yield Table(
            "Why points were kept back",
            ["task", "agent", "checkpoint", "trials", "what the check said"],
            [
                [row.task, row.entrant, str(row.number), str(count), _short(reason, 300)]
                for row, reason, count in kept_back[:MOST_KEPT_BACK]
            ],
            f"{len(kept_back) - MOST_KEPT_BACK} more are not listed." if len(kept_back) > MOST_KEPT_BACK else "",
            numbers=frozenset({2, 3}),
        )
    if found.along_the_way:
        yield _along_the_way(found)
    if raised := [(one.trial.outcome, said) for one in found.trials for said in one.trial.outcome.raised]:
        yield Table(
            "Checks that failed themselves",
            ["trial", "what they raised"],
            [[f"{one.task} · {one.agent} {one.which}", _short(said, 300)] for one, said in raised[:50]],
            "An exception in a check counts as no points for it: the evaluator's mistake rather than the agent's.",
        )
    yield from colleague_tables(found)
    if exhausted := [one.trial.outcome for one in found.trials if one.trial.outcome.ended == EXHAUSTED]:
        yield Table(
            "Exhausted their company",
            ["trial", "reason"],
            [[f"{one.task} · {one.agent} {one.which}", _short(one.reason, 160)] for one in exhausted[:50]],
            f"{len(exhausted)} trials asked more of their company than a trial may use. They count as failed.",
        )
    if found.whole.faults:
        yield faults_table(found)
    if found.made_of:
        yield Table("Made of", ["what", "which"], [[name, ", ".join(each)] for name, each in found.made_of.items()])


def _along_the_way(found: ReportData) -> Table:
    several = len({one.entrant for one in found.along_the_way}) > 1
    columns = [
        "task",
        "agent",
        "checkpoint",
        "trials",
        "won in",
        "after step",
        "lost again in",
        "what the check said then",
    ]
    rows = [
        [
            row.task,
            row.entrant,
            str(row.number),
            str(row.trials),
            str(row.won),
            str(row.step) if row.step is not None else "–",
            str(row.lost),
            "; ".join(f"{_short(reason, 200)} ({count})" for reason, count in row.reasons) or "–",
        ]
        for row in found.along_the_way
    ]
    keep = [place for place in range(len(columns)) if several or columns[place] != "agent"]
    figures = {"checkpoint", "trials", "won in", "after step", "lost again in"}
    return Table(
        "Where points were won and lost again",
        [columns[place] for place in keep],
        [[row[place] for place in keep] for row in rows[:MOST_KEPT_BACK]],
        "By the score lines: in how many trials a checkpoint had points at some time, and in how many fewer at the end "
        "than at its best. The step is that of its first best moment: the middle one over these trials.",
        frozenset(at for at, place in enumerate(keep) if columns[place] in figures),
    )


def colleague_tables(found: ReportData) -> Iterator[Table]:
    """How colleagues did, and what their faults can have cost."""
    if found.colleagues:
        shares = ("answered", "unknown", "ignored")
        yield Table(
            "Colleagues",
            ["task", "mind", "model", "trials", "asked", *shares, "faults"],
            [
                [
                    row.task,
                    row.mind or "–",
                    row.model or "–",
                    str(row.trials),
                    str(row.counts["asked"]),
                    *(_with(row.share(one), None) if row.sheets or one != "unknown" else "–" for one in shares),
                    _faults(row) if row.sheets else "–",
                ]
                for row in found.colleagues
            ],
            "Shares of the plain questions put to them. A fault is a plain question for an open fact that was not "
            "answered with it, or a wrong figure.",
            frozenset({3, 4, 5, 6, 7}),
        )
    if found.standings:
        yield Table(
            "With and without colleagues' faults",
            ["agent", "trials", "scored", "resolved", "partial score"],
            [
                [
                    one.entrant,
                    part.name,
                    str(part.scored),
                    _with(part.resolved, part.resolved_interval),
                    _with(part.partial, part.partial_interval),
                ]
                for one in found.standings
                for part in (one.every, one.without)
            ],
            "A colleague's fault changes no score: every trial counts above and everywhere else in this report.",
            frozenset({2}),
        )
    if told := [(one.trial.outcome, fault) for one in found.trials for fault in one.trial.outcome.colleague_fault]:
        yield Table(
            "Faults of colleagues",
            ["trial", "what happened"],
            [[f"{one.task} · {one.agent} {one.which}", _short(fault_in_words(fault), 300)] for one, fault in told[:50]],
            f"{len(told) - 50} more are not listed." if len(told) > 50 else "",
        )


def _faults(row: Rates) -> str:
    return f"{row.faults} in {row.trials_with_faults} of {row.trials} trials" if row.faults else "0"


def faults_table(found: ReportData) -> Table:
    rows = []
    for one in found.trials:
        outcome = one.trial.outcome
        if not outcome.scored:
            rows.append(
                [
                    f"{outcome.task} · {outcome.agent} {outcome.which}",
                    str(outcome.label),
                    MEANINGS[Label(outcome.label)].sentence,
                    _short(outcome.reason, 160),
                ]
            )
    shown = rows[:50]
    more = f" {len(rows) - 50} more are not listed." if len(rows) > 50 else ""
    return Table(
        "Not scored",
        ["trial", "label", "meaning", "reason"],
        shown,
        f"Faults count for nobody and against nobody.{more}",
    )


def comparison_tables(found: Comparison) -> Iterator[Table]:
    yield Table(
        f"{found.second} against {found.first}",
        ["measure", "tasks in both", "difference", "better", "worse", "same", "sign test"],
        [
            [
                one.measure,
                str(len(one.pairs)),
                _signed(one.mean, one.interval),
                str(one.better),
                str(one.worse),
                str(one.same),
                f"p = {one.chance:.3f}" if one.chance is not None else "no task differs",
            ]
            for one in found.differences
        ],
        "Second minus first, paired by task; interval by Student's t over tasks." + _alone(found),
        frozenset({1, 3, 4, 5}),
    )
    pairs = found.differences[0].pairs
    if pairs:
        yield Table(
            "Task by task",
            ["task", found.first, found.second, "difference", "attempts"],
            [
                [
                    pair.task,
                    f"{pair.first:.2f}",
                    f"{pair.second:.2f}",
                    f"{pair.difference:+.2f}",
                    f"{pair.attempts[0]} and {pair.attempts[1]}",
                ]
                for pair in sorted(pairs, key=lambda pair: (pair.difference, pair.task))
            ],
            "Mean partial score of each task.",
            frozenset({1, 2, 3}),
        )


def _alone(found: Comparison) -> str:
    parts = []
    if found.only_first:
        parts.append(f"scored only in {found.first}: {_short(', '.join(found.only_first), 200)}")
    if found.only_second:
        parts.append(f"scored only in {found.second}: {_short(', '.join(found.only_second), 200)}")
    return f" Not compared, {'; '.join(parts)}." if parts else ""


def _groups(dimension: str, groups: list[Group]) -> Table:
    columns = [dimension, "tasks", "scored", "resolved", "partial score", "time", "steps", "tokens", "cost", "faults"]
    rows = [
        [
            one.name,
            str(one.tasks),
            f"{one.scored}/{one.trials}",
            _with(one.resolved, one.resolved_interval),
            _with(one.partial, one.partial_interval),
            f"{one.seconds:.1f} s" if one.seconds is not None else "–",
            f"{one.steps:.1f}" if one.steps is not None else "–",
            f"{one.tokens:,.0f}" if one.tokens is not None else "–",
            f"${one.cost:.4f}" if one.cost is not None else "–",
            ", ".join(f"{number} {label}" for label, number in one.faults.items()) or "–",
        ]
        for one in groups
    ]
    keep = [place for place in range(len(columns)) if place < 5 or any(row[place] != "–" for row in rows)]
    figures = {"tasks", "scored", "time", "steps", "tokens", "cost"}
    return Table(
        f"By {dimension}",
        [columns[place] for place in keep],
        [[row[place] for place in keep] for row in rows],
        numbers=frozenset(at for at, place in enumerate(keep) if columns[place] in figures),
    )


def _with(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" + (f" ({interval.low:.0%} to {interval.high:.0%})" if interval else "")


def _signed(value: float | None, interval: Interval | None) -> str:
    if value is None:
        return "–"
    return f"{value:+.2f}" + (f" ({interval.low:+.2f} to {interval.high:+.2f})" if interval else "")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
