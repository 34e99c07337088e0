"""The page that `make prove` writes, and the README's figures, which come from it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from dayjob.task.model import is_task_folder
from tools.prove import PAGE, ROOT, Found, Kept, Proof, Unit, _positive, _shard, digest, page, seconds_left, units_of


def test_a_claim_that_does_not_hold_is_seen_on_the_page() -> None:
    embedded, docker = Proof("embedded", 10), Proof("docker", 1)
    embedded.held.update(weed=120, sow=110)
    embedded.tried.update(weed=120, sow=110)
    docker.held.update(weed=12, sow=10)
    docker.tried.update(weed=12, sow=11)
    assert (embedded.holds, docker.holds) == (True, False)
    assert page([embedded, docker]).splitlines()[5:10] == [
        "| task | embedded, ten times | docker, once |",
        "| --- | --- | --- |",
        "| sow | 110 of 110 | 10 of 11 |",
        "| weed | 120 of 120 | 12 of 12 |",
        "| **all** | **230 of 230** | **22 of 23** |",
    ]


def test_the_readme_says_what_the_page_says_of_every_task() -> None:
    written = PAGE.read_text("utf-8")
    rows = re.findall(r"^\| ([a-z0-9-]+) \| (\d+) of (\d+) \| (\d+) of (\d+) \|$", written, re.MULTILINE)
    assert {row[0] for row in rows} == {task.name for task in (ROOT / "tasks").iterdir() if is_task_folder(task)}
    totals = [f"{sum(int(row[at]) for row in rows):,} of {sum(int(row[at + 1]) for row in rows):,}" for at in (1, 3)]
    assert f"| **all** | **{totals[0]}** | **{totals[1]}** |" in written
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"{totals[0]} claims hold in the embedded sandbox" in readme
    assert f"{totals[1]} in docker" in readme


def unit(tmp_path: Path, name: str, sandbox: str = "embedded") -> Unit:
    (tmp_path / name).mkdir(exist_ok=True)
    return Unit(tmp_path / name, sandbox, 1)


def test_a_unit_counts_while_all_held_and_nothing_has_changed(tmp_path: Path) -> None:
    kept, weed, sow = Kept(tmp_path / "kept"), unit(tmp_path, "weed"), unit(tmp_path, "sow")
    kept.keep(weed, Found("a", 12, 12, 30.0, []))
    kept.keep(sow, Found("a", 11, 12, 30.0, ["sow: a claim"]))
    assert kept.still(weed, "a") == Found("a", 12, 12, 30.0, [])
    assert (kept.still(weed, "b"), kept.still(sow, "a")) == (None, None)
    (tmp_path / "kept" / f"{weed.name}.json").write_text("cut sho")
    assert kept.still(weed, "a") is None


def test_how_long_it_takes_is_told_from_what_it_took(tmp_path: Path) -> None:
    kept, units = Kept(tmp_path / "kept"), [unit(tmp_path, "weed"), unit(tmp_path, "sow")]
    kept.keep(units[0], Found("an older one", 12, 12, 30.0, []))
    assert seconds_left(units, kept, {}) is None
    assert seconds_left(units, kept, {"embedded": 20.0}) == 50.0
    assert seconds_left(units[:1], kept, {}) == 30.0


def test_a_changed_file_is_another_task(tmp_path: Path) -> None:
    (tmp_path / "task.md").write_text("Weed.\n")
    before = digest(tmp_path)
    assert digest(tmp_path) == before
    (tmp_path / "task.md").write_text("Sow.\n")
    assert digest(tmp_path) != before


def test_variants_are_asked_of_families_alone_and_in_one_sandbox(tmp_path: Path) -> None:
    plain, family = tmp_path / "plain", tmp_path / "family"
    plain.mkdir()
    family.mkdir()
    (family / "variant.py").write_text("def draw(random):\n    return {'key': {'number': random.random()}}\n")
    units = units_of([plain, family], 5, 10)
    assert [unit.name for unit in units] == [
        "plain.embedded.5",
        "family.embedded.5.10-variants",
        "plain.docker.1",
        "family.docker.1",
    ]
    assert ["--variants" in unit.command for unit in units] == [False, True, False, False]
    assert units[1].command[-2:] == ["--variants", "10"]
    assert [unit.name for unit in units_of([family], 5, 1)] == ["family.embedded.5", "family.docker.1"]


def test_a_number_of_variants_is_one_at_least() -> None:
    assert _positive("10") == 10
    for wrong in ("0", "-1", "ten"):
        with pytest.raises(argparse.ArgumentTypeError):
            _positive(wrong)


def test_shards_are_parts_of_the_whole() -> None:
    assert _shard("2/4") == (2, 4)
    for wrong in ("5/4", "0/4", "1", "a/b"):
        with pytest.raises(argparse.ArgumentTypeError):
            _shard(wrong)
