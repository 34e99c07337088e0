"""What is published about the format is what the code uses."""

from __future__ import annotations

import re
from pathlib import Path

from dayjob.task.rules import Rule, as_markdown
from dayjob.task.schema import SCHEMAS

ROOT = Path(__file__).resolve().parents[2]


def test_the_published_schemas_are_the_ones_in_use() -> None:
    for schema in SCHEMAS.values():
        assert (ROOT / "docs" / "schemas" / schema.name).read_bytes() == schema.read_bytes()


def test_the_rules_page_is_made_from_the_rules() -> None:
    assert (ROOT / "docs" / "checks.md").read_text(encoding="utf-8") == as_markdown()


def test_the_guide_names_only_rules_that_exist() -> None:
    guide = (ROOT / "docs" / "writing-a-task.md").read_text(encoding="utf-8")
    assert set(re.findall(r"DJ\d{3}", guide)) <= {rule.id for rule in Rule}


def test_the_guide_shows_the_examples_own_files() -> None:
    guide = (ROOT / "docs" / "writing-a-task.md").read_text(encoding="utf-8")
    example = ROOT / "tasks" / "example"
    blocks = re.findall(r"<!-- from tasks/example/(\S+) -->\n+```\w*\n(.*?)```", guide, re.DOTALL)
    assert len(blocks) >= 3
    for name, block in blocks:
        assert block in (example / name).read_text(encoding="utf-8"), f"{name} no longer has this part"
