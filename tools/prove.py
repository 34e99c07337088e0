"""Proves every task at length: five times in the embedded sandbox, each time with another seed, with all answers in
other words once, and everything once in docker. Ten variants of every family are solved and left alone, five times too.

    python -m tools.prove [--times N] [--variants N] [--shard 1/4] [--fresh] [TASK…]

The work is cut into one unit for each task and sandbox; variants belong to the embedded one. What came of a unit is
kept in .cache/proof until the task or the code changes, so a run that was stopped goes on where it was; `--fresh`
forgets it. How long the rest will take is told from what each unit took before. In docker it uses a daemon of its own,
with a base image made here from Debian packages, so that nothing is pulled. When all units of all tasks are there, they
are written to docs/proof.md, which the README's figures are taken from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dayjob.task.family import is_family
from dayjob.task.model import is_task_folder
from tests.dockerd import BASE_IMAGE, private_docker

ROOT = Path(__file__).resolve().parents[1]
DAYJOB = Path(sys.executable).parent / "dayjob"
PAGE = ROOT / "docs" / "proof.md"
KEPT = ROOT / ".cache" / "proof"


@dataclass(frozen=True)
class Unit:
    """One task in one sandbox."""

    task: Path
    sandbox: str
    times: int
    variants: int = 1

    @property
    def name(self) -> str:
        name = f"{self.task.name}.{self.sandbox}.{self.times}"
        return f"{name}.{self.variants}-variants" if self.variants > 1 else name

    @property
    def command(self) -> list[str]:
        words = "all" if self.sandbox == "embedded" else "none"
        asked = ["--sandbox", self.sandbox, "--times", str(self.times), "--paraphrases", words, "-n", "6", "--json"]
        if self.variants > 1:
            asked += ["--variants", str(self.variants)]
        return [str(DAYJOB), "test", str(self.task), *asked]


@dataclass
class Found:
    """What came of a unit. `key` names what it was made of, so that it counts only while that is the same."""

    key: str
    held: int
    tried: int
    seconds: float
    refuted: list[str]


@dataclass
class Proof:
    """What came of one sandbox: for each task how many claims hold, of how many."""

    sandbox: str
    times: int
    held: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    tried: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    seconds: float = 0

    @property
    def holds(self) -> bool:
        return sum(self.tried.values()) > 0 and self.held == self.tried

    @property
    def total(self) -> str:
        return f"{sum(self.held.values()):,} of {sum(self.tried.values()):,}"

    def of(self, task: str) -> str:
        return f"{self.held[task]} of {self.tried[task]}"

    def add(self, task: str, found: Found) -> None:
        self.held[task] += found.held
        self.tried[task] += found.tried
        self.seconds += found.seconds


class Kept:
    """What came of units, on the disk: one file each, written when it is whole."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def last(self, unit: Unit) -> Found | None:
        """What came of it the last time, whatever has changed since."""
        try:
            return Found(**json.loads((self.folder / f"{unit.name}.json").read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    def still(self, unit: Unit, key: str) -> Found | None:
        """What came of it, if all held and nothing has changed since."""
        found = self.last(unit)
        return found if found is not None and found.key == key and found.held == found.tried > 0 else None

    def keep(self, unit: Unit, found: Found) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        written = self.folder / f".{unit.name}.json"
        written.write_text(json.dumps(asdict(found)), "utf-8")
        written.rename(self.folder / f"{unit.name}.json")


def units_of(tasks: Iterable[Path], times: int, variants: int) -> list[Unit]:
    """Every task in both sandboxes; a family's variants in the embedded one."""
    tasks = [task.resolve() for task in tasks]
    units = [Unit(task, "embedded", times, variants if is_family(task) else 1) for task in tasks]
    return units + [Unit(task, "docker", 1) for task in tasks]


def digest(*folders: Path) -> str:
    """A name for what these folders hold."""
    total = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                total.update(f"{path.relative_to(folder)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def seconds_left(units: Iterable[Unit], kept: Kept, took: Mapping[str, float]) -> float | None:
    """How long these units will take, from what each took before, else from the mean of its sandbox; None: unknown."""
    known, unknown = 0.0, list[Unit]()
    for unit in units:
        last = kept.last(unit)
        if last is not None:
            known += last.seconds
        else:
            unknown.append(unit)
    for unit in unknown:
        if unit.sandbox not in took:
            return None
        known += took[unit.sandbox]
    return known


def prove(unit: Unit, key: str, environment: Mapping[str, str]) -> Found:
    """Prove a unit; a claim that does not hold is printed as soon as that is known."""
    found, began = Found(key, 0, 0, 0, []), time.monotonic()
    environment = {**os.environ, **environment}
    with subprocess.Popen(unit.command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as proving:
        for line in proving.stdout or ():
            claim = json.loads(line)
            found.tried += 1
            found.held += claim["holds"]
            if not claim["holds"]:
                said = f"{unit.sandbox}: {claim['task']}: {claim['claim']}: {claim['why']}"
                found.refuted.append(said)
                print(f"✗ {said}", flush=True)
    if proving.returncode not in (0, 1):
        found.refuted.append(f"{unit.name}: dayjob test ended with {proving.returncode}")
        found.tried += 1
        print(f"✗ {found.refuted[-1]}", flush=True)
    found.seconds = time.monotonic() - began
    return found


def work_through(units: list[Unit], kept: Kept, code: str) -> dict[str, Found]:
    """What came of each unit, by its name: as kept, or proven now."""
    done, left, took = dict[str, Found](), list[Unit](), dict[str, float]()
    keys = {unit.name: f"{code}/{digest(unit.task)}" for unit in units}
    for unit in units:
        found = kept.still(unit, keys[unit.name])
        if found is None:
            left.append(unit)
        else:
            done[unit.name] = found
    if done:
        print(f"{len(done)} of {len(units)} units are proven already.", flush=True)
    with ExitStack() as stack:
        settings: dict[str, str] = {}
        while left:
            print(_outlook(left, kept, took), flush=True)
            unit = left.pop(0)
            if unit.sandbox == "docker" and not settings:
                address = stack.enter_context(private_docker())
                settings = {"DOCKER_HOST": address, "DAYJOB_DOCKER_BASE": BASE_IMAGE}
            found = prove(unit, keys[unit.name], settings)
            done[unit.name] = found
            kept.keep(unit, found)
            took[unit.sandbox] = found.seconds
            print(f"{unit.name}: {found.held} of {found.tried} claims hold, {found.seconds:.0f} s.", flush=True)
    return done


def _outlook(left: list[Unit], kept: Kept, took: Mapping[str, float]) -> str:
    seconds = seconds_left(left, kept, took)
    units = "1 unit" if len(left) == 1 else f"{len(left)} units"
    return f"{units} to go" + (f", about {seconds / 60:.0f} minutes." if seconds is not None else ".")


def page(proofs: list[Proof]) -> str:
    """What docs/proof.md says."""
    heading = [
        "# What `make prove` found",
        "",
        "Every task, with every wrong solution beside it, in both sandboxes, as `make prove` saw it.",
        "[Writing a task](writing-a-task.md) tells what is claimed.",
        "",
        "| task | " + " | ".join(f"{one.sandbox}, {_times(one.times)}" for one in proofs) + " |",
        "| --- |" + " --- |" * len(proofs),
    ]
    rows = [f"| {task} | " + " | ".join(one.of(task) for one in proofs) + " |" for task in sorted(proofs[0].tried)]
    total = "| **all** | " + " | ".join(f"**{one.total}**" for one in proofs) + " |"
    spent = " and ".join(f"{one.seconds / 60:.0f} minutes {one.sandbox}" for one in proofs)
    return "\n".join([*heading, *rows, total, "", f"On two cores: {spent}.", ""])


def _times(number: int) -> str:
    return {1: "once", 5: "five times", 10: "ten times"}.get(number, f"{number} times")


def _shard(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"'{text}' is no shard; write 1/4 for the first of four")
    return int(number), int(of)


def _positive(text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of variants; write 10 for ten")
    return int(text)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--variants", type=_positive, default=10, help="so many variants of every family, from 0 on")
    parser.add_argument("--shard", type=_shard, default=(1, 1), help="this part of the units alone, such as 1/4")
    parser.add_argument("--fresh", action="store_true", help="prove again what was proven already")
    parser.add_argument("tasks", nargs="*", type=Path, default=[])
    given = parser.parse_args()
    tasks = given.tasks or sorted(path for path in (ROOT / "tasks").iterdir() if is_task_folder(path))
    units = units_of(tasks, given.times, given.variants)
    kept = Kept(KEPT)
    if given.fresh:
        for unit in units:
            (KEPT / f"{unit.name}.json").unlink(missing_ok=True)
    code = digest(ROOT / "src", ROOT / "worlds")
    number, of = given.shard
    done = work_through(units[number - 1 :: of], kept, code)
    proofs = [Proof("embedded", given.times), Proof("docker", 1)]
    for unit in units:
        found = done.get(unit.name) or kept.still(unit, f"{code}/{digest(unit.task)}")
        if found is not None:
            proofs[unit.sandbox == "docker"].add(unit.task.name, found)
    for proof in proofs:
        print(f"{proof.sandbox}: {proof.total} claims hold, {proof.seconds / 60:.0f} minutes.", flush=True)
    if not given.tasks and all(len(proof.tried) == len(tasks) for proof in proofs):
        PAGE.write_text(page(proofs), "utf-8")
    sys.exit(0 if all(found.held == found.tried > 0 for found in done.values()) else 1)


if __name__ == "__main__":
    main()
