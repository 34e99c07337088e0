"""checkpoints.md as numbers: each checkpoint's points, and the total the text states."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(
    r"^\s*(?:#{1,6}|[-*+]|\d+[.)])?\s*[*_]*\s*(?:[(\[][^)\]]*[)\]][\s*_]*)?(?:final\s+)?(?P<word>check[\s-]point|[a-z]+)s?"
    r"(?![a-z])",
    re.IGNORECASE,
)
_POINTS = re.compile(r"(\d+)\s*(?:-\s*)?(?:pts?|points?|marks?)(?![a-z])", re.IGNORECASE)
# A number alone in brackets at the end of a heading that numbers its checkpoint otherwise: `Checkpoint 2 [3]`.
_BARE_POINTS = re.compile(r"\d.*[(\[]\s*(\d+)\s*[)\]]\W*$")
_TOTAL = re.compile(
    r"(?:total[^\n.]{0,40}?(\d+)\s*(?:pts?|points?))|(?:(\d+)\s*(?:pts?|points?)\s+in\s+total)", re.IGNORECASE
)
_CHECKPOINT = "checkpoint"
_ALIKE = 0.84
"""How alike two words are that differ by a letter or two: `checpoint`, `chekcpoint`, `checkpoitn`."""


@dataclass(frozen=True)
class Rubric:
    """Points of each checkpoint with its line, in order; `stated` is the total the text itself gives."""

    checkpoints: tuple[tuple[int, int], ...]
    stated: int | None
    stated_line: int

    @property
    def total(self) -> int:
        return sum(points for points, _ in self.checkpoints)


def parse_rubric(text: str) -> Rubric:
    """Read a checkpoint's points off its heading: `## Checkpoint 2 (3 pts)`, `[3pts]` too. Comments do not count."""
    visible = _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), text)
    checkpoints = []
    stated, stated_line = None, 0
    for number, line in enumerate(visible.splitlines(), start=1):
        if len(line) > 500:
            continue
        heading = _names_a_checkpoint(line)
        points = _POINTS.search(line) or _BARE_POINTS.search(line)
        if heading and points and not _TOTAL.search(line):
            checkpoints.append((int(points.group(1)), number))
        elif stated is None and (total := _TOTAL.search(line)):
            stated, stated_line = int(total.group(1) or total.group(2)), number
    return Rubric(tuple(checkpoints), stated, stated_line)


def _names_a_checkpoint(line: str) -> bool:
    """Is this a checkpoint's heading, even where the word is misspelt?"""
    heading = _HEADING.match(line)
    if heading is None:
        return False
    word = heading["word"].lower().removesuffix("s")
    if word in (_CHECKPOINT, "check point", "check-point"):
        return True
    return not word.startswith(_CHECKPOINT) and SequenceMatcher(None, word, _CHECKPOINT).ratio() >= _ALIKE
