"""How long `dayjob check` takes for 175 task folders, beside a plain `ast.parse` of the same evaluators.

Usage: python bench/check.py. Makes its folders in a temporary directory; prints one Markdown table.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

from dayjob.task.lint import check, find_tasks
from dayjob.task.scaffold import compose, wish

LARKSPUR = Path(__file__).resolve().parent.parent / "worlds" / "larkspur"
FOLDERS = 175
ROUNDS = 5
SERVICES = ("rocketchat", "gitlab", "plane", "owncloud")
VARIATIONS = [
    (services, colleagues)
    for size in range(len(SERVICES) + 1)
    for services in combinations(SERVICES, size)
    for colleagues in ((), ("Tomas Okafor",), ("Tomas Okafor", "Mara Lindqvist", "Hana Sato"))
]


def make_folders(parent: Path) -> None:
    """Scaffolds with every mix of services and colleagues, and evaluators as long as published ones."""
    for number in range(FOLDERS):
        services, colleagues = VARIATIONS[number % len(VARIATIONS)]
        name = f"task-{number:03}"
        files = compose(wish(name, services, colleagues, LARKSPUR))
        more = "".join(
            f"\n\ndef helper_{each}(page):\n    rows = [row for row in page if row.get('id') == {each}]\n"
            f"    if not rows:\n        return None\n    return rows[0].get('name', '').lower().strip()\n"
            for each in range(10 + number % 10)
        )
        files["evaluator.py"] += more
        for file, text in files.items():
            path = parent / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def measure(action: Callable[[], object]) -> float:
    """The median of a few rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as temporary:
        parent = Path(temporary)
        make_folders(parent)
        evaluators = [path.read_text(encoding="utf-8") for path in sorted(parent.glob("*/evaluator.py"))]
        assert len(evaluators) == FOLDERS
        command = [str(Path(sys.executable).with_name("dayjob")), "check", str(parent)]

        def whole_command() -> None:
            subprocess.run(command, check=True, capture_output=True)

        def in_process() -> None:
            for task in find_tasks(parent):
                assert check(task) == []

        parse = measure(lambda: [ast.parse(text) for text in evaluators])
        rules = measure(in_process)
        command_time = measure(whole_command)
    lines = sum(text.count("\n") for text in evaluators)
    print(f"{FOLDERS} folders, {lines} lines of evaluators; median of {ROUNDS} rounds\n")
    print("| what | time | per folder | ratio to ast.parse |")
    print("| --- | ---: | ---: | ---: |")
    for what, seconds in (
        ("`ast.parse` of the evaluators, nothing else", parse),
        ("every rule, in one process", rules),
        ("`dayjob check`, the whole command", command_time),
    ):
        print(f"| {what} | {seconds * 1000:.0f} ms | {seconds / FOLDERS * 1000:.2f} ms | {seconds / parse:.1f} |")


if __name__ == "__main__":
    main()
