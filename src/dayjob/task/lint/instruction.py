"""task.md: it states the goal, and neither the grading, nor the answers, nor the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from dayjob.task.findings import Finding, TaskError
from dayjob.task.lint.sheet import Sheet
from dayjob.task.reading import line_of, read_text
from dayjob.task.rules import Rule
from dayjob.task.steps import step_lines

FILE = "task.md"

_GRADING = re.compile(
    r"\bcheckpoints?\s+#?\d|\bcheckpoints\.md\b|\bevaluator\.py\b|\bgrade_checkpoints\b|\breferences/", re.IGNORECASE
)
_POINTS = re.compile(
    r"[(\[]\s*\d+\s*(?:pts?|points?)\s*[)\]]|\b\d+\s*(?:pts?|points?)\s+for\b|\brubrics?\b", re.IGNORECASE
)
_FORGE = re.compile(r"gitlab|forge|:8929", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"(?:password|passwd|token|credentials?)\W{0,4}(?:is|are|:|=|`|\")|private-token|\broot-token\b|\bglpat-",
    re.IGNORECASE,
)
# A full stop may follow, at the end of a sentence, but not one within a version or an address.
_NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w|\.\w)")
_STEPS_ALLOWED = 4


def check(sheet: Sheet) -> Iterator[Finding]:
    text = sheet.text(FILE)
    if text is None:
        return
    if not text.strip():
        yield Finding(Rule.EMPTY_TASK, FILE, 0, "it says nothing", "Describe what the examinee shall achieve")
        return
    yield from _lines(text)
    yield from _rubric(text, sheet.text("checkpoints.md") or "")
    yield from _references(text, sheet.path)


def _lines(text: str) -> Iterator[Finding]:
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _GRADING.search(line):
            yield Finding(
                Rule.LEAK_GRADING,
                FILE,
                number,
                f"'{found.group()}' tells the examinee about the grading",
                "Keep it in checkpoints.md",
            )
        if found := _POINTS.search(line):
            yield Finding(
                Rule.LEAK_POINTS, FILE, number, f"'{found.group()}' sounds like a rubric", "Keep it in checkpoints.md"
            )
        if _FORGE.search(line) and _CREDENTIAL.search(line):
            yield Finding(
                Rule.FORGE_CREDENTIALS,
                FILE,
                number,
                "this hands over credentials for the forge",
                "Leave them out: finding them is part of the work",
            )
    steps = step_lines(text)
    if len(steps) > _STEPS_ALLOWED:
        yield Finding(
            Rule.STEP_BY_STEP,
            FILE,
            steps[0],
            f"{len(steps)} numbered steps are a recipe, not a goal",
            "State what shall be true in the end, unless the steps are the point",
        )


def _rubric(text: str, rubric: str) -> Iterator[Finding]:
    for line in rubric.splitlines():
        sentence = line.strip(" #-*\t")
        if len(sentence) >= 40 and sentence in text:
            yield Finding(
                Rule.LEAK_POINTS,
                FILE,
                line_of(text, sentence),
                "this sentence is also in checkpoints.md",
                "Say in task.md what is wanted, not what is checked",
            )


def _references(text: str, path: Path) -> Iterator[Finding]:
    """Whole lines of a reference, and its numbers of four digits or more, that task.md gives away."""
    folder = path / "references"
    if not folder.is_dir():
        return
    given = {number.replace(",", "") for number in _NUMBER.findall(text)}
    for file in sorted(folder.rglob("*")):
        if not file.is_file() or file.suffix.lower() in (".png", ".jpg", ".pdf", ".xlsx", ".zip", ".pptx", ".docx"):
            continue
        try:
            reference = read_text(folder, str(file.relative_to(folder)))
        except TaskError:
            continue  # a reference may be binary or large; that is no leak
        lines = {line.strip() for line in reference.splitlines() if len(line.strip()) >= 20}
        leaked = sorted(line for line in lines if line in text)
        numbers = {number.replace(",", "") for number in _NUMBER.findall(reference)}
        telling = {number for number in numbers if sum(map(str.isdigit, number)) >= 4 and not _is_year(number)}
        leaked += sorted(telling & given)
        for value in leaked:
            yield Finding(
                Rule.LEAK_REFERENCE,
                FILE,
                line_of(text, value),
                f"'{value[:60]}' is in references/{file.relative_to(folder)}",
                "Take it out of task.md, or out of the reference when it is no answer",
            )


def _is_year(number: str) -> bool:
    return len(number) == 4 and number.isdigit() and 1900 <= int(number) <= 2100
