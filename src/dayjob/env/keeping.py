"""What an environment leaves behind: all of its evidence, the few files that say what happened, or nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from dayjob import owned
from dayjob.env.values import EnvError, Marks
from dayjob.trial.evidence import Evidence
from dayjob.trial.spec import TrialSpec

GRADES = "grades.jsonl"
MINIMAL = ("spec.json", "began.json", "journal.jsonl", "changes.json", "trajectory.json", GRADES)


@dataclass(slots=True)
class Keeping:
    """Where evidence goes, and what of it stays."""

    what: str
    out: Path | None
    folder: Path | None = None
    """Where it is while the environment is open."""
    forks: set[str] = field(default_factory=set)
    """Folders below `out` that are forks' own: nothing of them is set aside."""

    def __post_init__(self) -> None:
        if self.what != "none" and self.out is None:
            raise EnvError(f"Evidence '{self.what}' needs a folder; name one with 'out'.")
        if self.what == "none" and self.out is not None:
            raise EnvError('A folder (\'out\') was named and no evidence asked for; say evidence="full" or "minimal".')

    def of_fork(self, number: int) -> Keeping:
        """The same for a fork, in a folder below."""
        name = f"fork-{number}"
        self.forks.add(name)
        return Keeping(self.what, self.out / name if self.out is not None else None)

    def open(self, stack: AsyncExitStack) -> Evidence:
        """A folder for the evidence, which holds what is kept when the stack has closed. Blocking: for a thread."""
        if self.what == "full":
            assert self.out is not None
            self.folder = self.out
        else:
            self.folder = owned.folder("env")
            stack.push_async_callback(asyncio.to_thread, self._end, self.folder)
        return Evidence(self.folder.resolve(), stays=self.forks)

    def spec(self, spec: TrialSpec) -> TrialSpec:
        return replace(spec, out=str(self.folder))

    def grade(self, evidence: Evidence, marks: Marks) -> None:
        """Write down one grading."""
        if self.what != "none":
            with (evidence.folder / GRADES).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(marks), ensure_ascii=False) + "\n")

    def _end(self, folder: Path) -> None:
        if self.out is not None:
            kept = Evidence(self.out, stays=self.forks)
            for name in MINIMAL:
                if (folder / name).exists():
                    shutil.copyfile(folder / name, kept.folder / name)
        shutil.rmtree(folder, ignore_errors=True)
