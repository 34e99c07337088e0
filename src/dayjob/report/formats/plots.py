"""Plots as SVG text: no script, no fonts, nothing fetched. Colours come from the page's own style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dayjob.report.breakdown import Group
from dayjob.report.compare import Pair
from dayjob.report.repeats import Repeats

ROW = 26
LEFT, RIGHT, WIDTH = 220, 60, 720


def dots(title: str, groups: Sequence[Group]) -> str:
    """Each group's partial score as a dot with its interval, its resolved rate as a ring, on one scale from 0 to 1."""
    rows = [one for one in groups if one.partial is not None and one.resolved is not None]
    height = ROW * len(rows) + 40
    parts = [_open(title, height), *_scale(0.0, 1.0, [0, 0.25, 0.5, 0.75, 1], "{:.0%}", height)]
    for place, one in enumerate(rows):
        y = ROW * place + 20
        parts.append(_name(one.name, y))
        assert one.partial is not None
        assert one.resolved is not None
        if one.partial_interval:
            low, high = (_x(value, 0, 1) for value in (one.partial_interval.low, one.partial_interval.high))
            parts.append(f'<line class="span" x1="{low:.1f}" y1="{y}" x2="{high:.1f}" y2="{y}"/>')
        said = f"{one.name}: partial score {one.partial:.2f}, resolved {one.resolved:.0%}, {one.scored} scored"
        parts.append(
            f'<g><title>{escape(said)}</title><circle class="ring" cx="{_x(one.resolved, 0, 1):.1f}" cy="{y}" r="6"/>'
            f'<circle class="dot" cx="{_x(one.partial, 0, 1):.1f}" cy="{y}" r="4"/></g>'
        )
    return "".join([*parts, "</svg>"])


def differences(title: str, pairs: Sequence[Pair]) -> str:
    """Each task's difference as a bar to the left or right of nothing."""
    rows = sorted(pairs, key=lambda pair: (pair.difference, pair.task))
    height = ROW * len(rows) + 40
    parts = [_open(title, height), *_scale(-1.0, 1.0, [-1, -0.5, 0, 0.5, 1], "{:+.1f}", height)]
    for place, pair in enumerate(rows):
        y = ROW * place + 20
        middle, end = _x(0, -1, 1), _x(pair.difference, -1, 1)
        kind = "better" if pair.difference > 0 else "worse"
        said = f"{pair.task}: {pair.first:.2f} and {pair.second:.2f}, difference {pair.difference:+.2f}"
        parts.append(_name(pair.task, y))
        parts.append(
            f'<rect class="{kind}" x="{min(middle, end):.1f}" y="{y - 7}" width="{max(1.5, abs(end - middle)):.1f}" '
            f'height="14"><title>{escape(said)}</title></rect>'
        )
    return "".join([*parts, "</svg>"])


def curves(title: str, rows: Sequence[Repeats]) -> str:
    """pass@k and pass^k as k grows."""
    height, bottom, top = 240, 200, 20
    last = max(row.k for row in rows)
    across = {row.k: LEFT + (WIDTH - LEFT - RIGHT) * (row.k - 1) / max(1, last - 1) for row in rows}
    up = {0: bottom, 1: top}
    parts = [_open(title, height)]
    for share in (0.0, 0.5, 1.0):
        y = up[0] + (up[1] - up[0]) * share
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.0f}" x2="{WIDTH - RIGHT}" y2="{y:.0f}"/>')
        parts.append(f'<text class="end" x="{LEFT - 10}" y="{y + 4:.0f}">{share:.0%}</text>')
    parts += [f'<text class="mid" x="{across[row.k]:.1f}" y="{height - 15}">k = {row.k}</text>' for row in rows]
    ends: list[tuple[float, float, str]] = []
    for kind, name, values in (
        ("once", "pass@k", [row.at_least_one for row in rows]),
        ("always", "pass^k", [row.all_of_them for row in rows]),
    ):
        points = [(across[row.k], up[0] + (up[1] - up[0]) * value) for row, value in zip(rows, values, strict=True)]
        parts.append(f'<polyline class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>')
        parts += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>' for x, y in points]
        ends.append((points[-1][0] + 8, points[-1][1] + 4, name))
    if abs(ends[0][1] - ends[1][1]) < 14:
        ends = [(*ends[0][:2], "both")]
    parts += [f'<text x="{x:.1f}" y="{y:.1f}">{name}</text>' for x, y, name in ends]
    return "".join([*parts, "</svg>"])


def _open(title: str, height: int) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}" '
        f'xmlns="http://www.w3.org/2000/svg"><title>{escape(title)}</title>'
    )


def _x(value: float, low: float, high: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low)


def _scale(low: float, high: float, marks: Sequence[float], form: str, height: int) -> list[str]:
    parts = []
    for mark in marks:
        x = _x(mark, low, high)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="4" x2="{x:.1f}" y2="{height - 26}"/>')
        parts.append(f'<text class="mid" x="{x:.1f}" y="{height - 10}">{form.format(mark)}</text>')
    return parts


def _name(name: str, y: int) -> str:
    short = name if len(name) <= 30 else name[:29] + "…"
    return f'<text class="end" x="{LEFT - 10}" y="{y + 4}"><title>{escape(name)}</title>{escape(short)}</text>'
