"""What a score line costs: trials of the example with one after every step, and without, by turns in the same run.

python -m bench.score_line
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

import uvloop
import yaml

from bench.env import TASK, counted
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop

ROUNDS = 10
THINKS = 0.5
"""Seconds that the worker's scripted model takes for each answer."""
FIGURES = ("work", "all", "cpu", "held", "steps")


def scripted(folder: Path) -> str:
    """A worker that does what the solution does, in four steps."""
    solution = (TASK / "solution.py").read_text("utf-8")
    doing = ["write_report(over_budget())", "announce(over_budget())", "tell()"]
    calls = [
        {"name": "write_file", "arguments": {"path": "/workspace/work.py", "content": solution}},
        *({"name": "shell", "arguments": {"command": f'python3 -c "from work import *; {one}"'}} for one in doing),
        {"name": "finish", "arguments": {"summary": "done"}},
    ]
    rules = [{"when": {"turn": turn}, "delay": THINKS, "call": call} for turn, call in enumerate(calls, 1)]
    path = folder / "model.yml"
    path.write_text(yaml.safe_dump({"format": 1, "rules": rules}), "utf-8")
    return f"script:{path}"


async def one(workshop: Workshop, spec: TrialSpec, cpu: Callable[[], float]) -> dict[str, float]:
    before = cpu()
    outcome: Outcome = await workshop.run(spec)
    assert outcome.label is Label.RESOLVED, outcome.reason
    assert not outcome.score_line or outcome.score_line["failed"] == 0, outcome.notes
    found = {"work": outcome.timings["work"], "all": outcome.timings["all"], "cpu": (cpu() - before) / 1000}
    line = outcome.score_line
    return found | {"held": line.get("held", 0.0), "steps": line.get("points", 1) - 1}


async def measure(folder: Path, cpu: Callable[[], float]) -> dict[str, dict[str, float]]:
    """Medians, by agent and whether there was a line."""
    model = scripted(folder)
    found: dict[str, list[dict[str, float]]] = {}
    async with Workshop() as workshop:
        for number in range(ROUNDS + 1):
            for agent in ("oracle", "worker"):
                for every in (None, "step"):
                    out = folder / f"{agent}-{every}-{number}"
                    asked = model if agent == "worker" else None
                    spec = TrialSpec(str(TASK), agent, str(out), model=asked, score_every=every)
                    took = await one(workshop, spec, cpu)
                    if number:  # the first of each does not count
                        found.setdefault(f"{agent} {every}", []).append(took)
    return {
        name: {part: statistics.median(one[part] for one in rows) for part in FIGURES} for name, rows in found.items()
    }


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, counted() as cpu:
        found = uvloop.run(measure(Path(folder), cpu))
    print(f"medians of {ROUNDS}, the example in Larkspur; the worker's model answers after {THINKS:g} s\n")
    print("| agent | line | work | whole trial | CPU | kept waiting | added, of the work | CPU added, of the work |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for agent in ("oracle", "worker"):
        plain, lined = found[f"{agent} None"], found[f"{agent} step"]
        for name, row in (("none", plain), (f"{lined['steps']:.0f} points", lined)):
            figures = f"{row['work']:.2f} s | {row['all']:.2f} s | {row['cpu']:.2f} s | {row['held'] * 1000:.0f} ms"
            added = [(row[part] - plain[part]) / plain["work"] for part in ("all", "cpu")]
            shares = " | ".join(f"{share:.2f}" for share in added) if row is lined else " | "
            print(f"| {agent} | {name} | {figures} | {shares} |")


if __name__ == "__main__":
    main()
