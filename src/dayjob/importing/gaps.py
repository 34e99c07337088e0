"""What a published task needs and a checkout does not hold: listed with the tasks that name it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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
    """Something missing or uncertain. `place` is the world's file that would fill it, where one would."""

    kind: str
    thing: str
    why: str
    tasks: tuple[str, ...] = ()
    place: str = ""

    def line(self) -> str:
        named = f" Named by: {', '.join(self.tasks)}." if self.tasks else ""
        return f"- {one_line(self.thing)}: {one_line(self.why)}{named}"


def one_line(text: str) -> str:
    return " ".join(text.split())


def in_words(counts: dict[str, int]) -> str:
    """`1 task, 2 channels`."""
    return ", ".join(f"{number} {name.removesuffix('s') if number == 1 else name}" for name, number in counts.items())


def as_markdown(counts: dict[str, int], gaps: Iterable[Gap]) -> str:
    """GAPS.md: what the world has, then every gap under its heading."""
    parts = [
        "# What this world has, and what it lacks\n",
        f"It was made by `dayjob world import-tac` and has {in_words(counts)}.\n",
        "A file that you add or change here stays as it is when the import is run again.\n",
    ]
    listed = list(gaps)
    for kind, heading in KINDS.items():
        here = [gap for gap in listed if gap.kind == kind]
        if here:
            parts.append(f"## {heading} ({len(here)})\n\n" + "".join(f"{gap.line()}\n" for gap in here))
    return "\n".join(parts) if listed else "\n".join([*parts, "Nothing is missing that a task names.\n"])
