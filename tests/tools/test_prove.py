"""The page that `make prove` writes, and the README's figures, which come from it."""

from __future__ import annotations

import re
from pathlib import Path

from tools.prove import PAGE, ROOT, Proof, page


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
    assert {row[0] for row in rows} == {task.parent.name for task in Path(ROOT / "tasks").glob("*/task.md")}
    totals = [f"{sum(int(row[at]) for row in rows):,} of {sum(int(row[at + 1]) for row in rows):,}" for at in (1, 3)]
    assert f"| **all** | **{totals[0]}** | **{totals[1]}** |" in written
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"{totals[0]} claims hold in the embedded sandbox" in readme
    assert f"{totals[1]} in docker" in readme
