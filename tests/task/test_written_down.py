"""What `dayjob check` says of every way to spoil a task, and what `dayjob new` writes, word for word, in `written/`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from dayjob.task.lint import check
from dayjob.task.scaffold import compose, wish
from tests.company.talks.talk import kept
from tests.task.folders import LARKSPUR, SERVICES, good_task
from tests.task.test_lint import CASES

WRITTEN = Path(__file__).with_name("written")
# What these say comes from Python, bash or a library, and may be put otherwise by the next version.
OTHERS_WORDS = ("DJ301", "DJ501", "DJ601", "DJ611", "DJ621", "DJ701", "DJ711")
HUNDREDS = sorted({rule[:3] for rule, _, _ in CASES})


@pytest.mark.parametrize("hundred", HUNDREDS)
def test_findings_are_told_as_written_down(tmp_path: Path, hundred: str) -> None:
    lines = []
    for number, (rule, spoil, _) in enumerate(CASES):
        if rule.startswith(hundred):
            folder = good_task(tmp_path / str(number))
            spoil(folder)
            for one in check(folder):
                said = "" if one.rule.id in OTHERS_WORDS else f"{one.message}. {one.fix}."
                place = f"{number} {one.file}:{one.line} {one.severity.value} {one.rule.id}"
                lines.append(f"{place} {said}".replace(str(tmp_path), "").replace("\n", " ").rstrip())
    assert kept(WRITTEN / f"{hundred}.txt", lines) == []


@pytest.mark.parametrize("services", [(), SERVICES, ("owncloud",)], ids=["none", "all", "drive"])
def test_a_new_task_is_as_written_down(services: tuple[str, ...]) -> None:
    people = ("Tomas Okafor", "Mara Lindqvist") if services else ()
    files = compose(wish("pay-invoice", services, people, LARKSPUR))
    files["task.toml"] = re.sub(r"dayjob-canary-[0-9a-f]{16}", "dayjob-canary-…", files["task.toml"])
    lines = [f"{name}: {json.dumps(text, ensure_ascii=False)}" for name, text in sorted(files.items())]
    assert kept(WRITTEN / f"new-{len(services)}.txt", lines) == []
