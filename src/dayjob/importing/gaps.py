"""What a published task needs and a checkout does not hold: listed with the tasks that name it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from dayjob.company.world.gaps import Lack

# The headings of GAPS.md, in the order of the work they ask for.
KINDS = {
    "files": "Files of the checkout that could not be read",
    "tasks": "Tasks",
    "people": "Colleagues",
    "channels": "Channels",
    "code": "Code of the forge's projects",
    "forge": "Issues, merge requests and other pages of the forge",
    "wiki": "Wiki pages",
    "board": "Board",
    "drive": "Documents of the drive",
    "clock": "Clock",
}


@dataclass(frozen=True, slots=True)
class Gap:
    """Something missing or uncertain. `place` is the world's file that would fill it, where one would.

    Without `is_hole` it is only how a task was read: nothing is missing if that is right.
    """

    kind: str
    thing: str
    why: str
    tasks: tuple[str, ...] = ()
    place: str = ""
    is_hole: bool = True

    def line(self) -> str:
        named = f" Named by: {', '.join(self.tasks)}." if self.tasks else ""
        return f"- {one_line(self.thing)}: {one_line(self.why)}{named}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def in_words(counts: dict[str, int]) -> str:
    """`1 task, 2 channels`."""
    return ", ".join(f"{number} {name.removesuffix('s') if number == 1 else name}" for name, number in counts.items())


def by_task(gaps: Iterable[Gap]) -> dict[str, list[Gap]]:
    """The holes of each task that has one."""
    found: dict[str, list[Gap]] = {}
    for gap in gaps:
        for task in gap.tasks if gap.is_hole else ():
            found.setdefault(task, []).append(gap)
    return dict(sorted(found.items()))


def as_markdown(counts: dict[str, int], gaps: Iterable[Gap]) -> str:
    """GAPS.md: what the world has, every task with a hole, then every gap under its heading."""
    parts = [
        "# What this world has, and what it lacks\n",
        f"It was made by `dayjob world import-tac` and has {in_words(counts)}.\n",
        "A file that you add or change here stays as it is when the import is run again. GAPS.json says the same to "
        "programs.\n",
    ]
    listed = list(gaps)
    if not listed:
        return "\n".join([*parts, "Nothing is missing that a task names.\n"])
    if holes := by_task(listed):
        lines = [f"- {one_line(task)}: {_things(found)}.\n" for task, found in holes.items()]
        parts.append(f"## Tasks with a hole ({len(holes)} of {counts['tasks']})\n\n" + "".join(lines))
    for kind, heading in KINDS.items():
        here = [gap for gap in listed if gap.kind == kind]
        if here:
            parts.append(f"## {heading} ({len(here)})\n\n" + "".join(f"{gap.line()}\n" for gap in here))
    return "\n".join(parts)


def _things(gaps: list[Gap]) -> str:
    """`code root/kite; drive Documents/a.pdf, Documents/b.pdf`."""
    kinds: dict[str, list[str]] = {}
    for gap in gaps:
        kinds.setdefault(gap.kind, []).append(one_line(gap.thing))
    return "; ".join(f"{kind} {', '.join(things)}" for kind, things in kinds.items())


def as_json(gaps: Iterable[Gap], written: Iterable[str]) -> str:
    """GAPS.json, which `dayjob run` reads. `written`: the files that the import puts into the world."""
    listed, ours = list(gaps), set(written)

    def told(gap: Gap) -> dict[str, object]:
        return asdict(Lack(gap.kind, one_line(gap.thing), one_line(gap.why), gap.place, gap.place in ours))

    tasks = {task: [told(gap) for gap in found] for task, found in by_task(listed).items()}
    others = [{**told(gap), "tasks": gap.tasks} for gap in listed if not (gap.is_hole and gap.tasks)]
    return json.dumps({"format": 1, "tasks": tasks, "others": others}, indent=1, ensure_ascii=False) + "\n"
