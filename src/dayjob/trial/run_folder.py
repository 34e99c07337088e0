"""A run on disk: `run.json` says which trials it has, `lock.json` what they are made of, and one folder per trial.

Trials are only ever added. A trial is done when its `outcome.json` has a label that the table of labels does not try
again; so whoever opens the folder next knows what is left to do, however the last one ended. One process at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.trial.ingredients import Ingredients, ingredients
from dayjob.trial.outcome import Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.whole_files import write_whole

FORMAT = 1
RUN, LOCK, HELD = "run.json", "lock.json", ".held"

# A process that was killed holds the folder until the last of its children is gone, which is a moment.
PATIENCE = 10.0


class RunError(Exception):
    """A folder that cannot be this run; the sentence says which, why and what to do."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A run that is ours to work on. Trials keep the order in which they were added."""

    folder: Path
    specs: tuple[TrialSpec, ...]
    added: int
    hold: int
    """The descriptor that keeps others out, for worker processes to inherit."""
    noted: set[tuple[str, str]] = field(default_factory=set)
    """Tasks and images that lock.json is known to name."""

    def note_image(self, outcome: Outcome) -> None:
        """Write down the image a task was built to, once; two for one task would show that its base has changed."""
        key = outcome.made_of.get("image")
        facts = _facts(self.folder / LOCK) if key and (outcome.task, key) not in self.noted else None
        if facts is not None:
            known = facts["images"].setdefault(outcome.task, [])
            if key not in known:
                known.append(key)
                try:
                    write_whole(self.folder / LOCK, (json.dumps(facts, indent=1) + "\n").encode())
                except OSError:
                    return  # the next outcome tries again; on a full disk the trials themselves say so
            self.noted.add((outcome.task, str(key)))

    def outcome(self, spec: TrialSpec) -> Outcome | None:
        """How a trial went; None while it has not ended."""
        path = Path(spec.out) / "outcome.json"
        try:
            return Outcome.from_json(path.read_text("utf-8"))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise RunError(f"{path} is not an outcome ({error}); remove it to try that trial again") from error


@contextmanager
def open_run(folder: Path, specs: Sequence[TrialSpec]) -> Iterator[Opened]:
    """Make a run of these trials, or go on with the one in the folder, adding what it does not have yet."""
    folder.mkdir(parents=True, exist_ok=True)
    with _held(folder) as hold:
        known = _read(folder)
        if known is None:
            if strange := [path.name for path in sorted(folder.iterdir()) if not path.name.startswith(".")]:
                raise RunError(f"{folder} holds {strange[0]} and no {RUN}: it is no run; name another folder with -o")
            known = []
        owned.private(folder)
        merged = {Path(spec.out).name: spec for spec in known}
        for spec in specs:
            name = Path(spec.out).name
            if name in merged and merged[name] != spec:
                raise RunError(f"{folder} has {name} with {_difference(merged[name], spec)}; name another folder")
            merged[name] = spec
        _lock(folder, merged.values())
        if len(merged) > len(known):
            _write(folder, merged.values())
        yield Opened(folder, tuple(merged.values()), len(merged) - len(known), hold)


@contextmanager
def reopen_run(folder: Path) -> Iterator[Opened]:
    """Go on with the run in a folder. Raises `RunError` when there is none."""
    if not (folder / RUN).is_file():
        raise RunError(f"{folder} is not a run: it has no {RUN}")
    with open_run(folder, ()) as opened:
        yield opened


@contextmanager
def read_run(folder: Path) -> Iterator[Opened]:
    """The run in a folder whatever its tasks are by now: for work on its evidence alone."""
    if not (folder / RUN).is_file():
        raise RunError(f"{folder} is not a run: it has no {RUN}")
    with _held(folder) as hold:
        yield Opened(folder, tuple(_read(folder) or ()), 0, hold)


@contextmanager
def _held(folder: Path) -> Iterator[int]:
    """Keep every other process out; the worker processes inherit the hold, so it ends with the last of them."""
    handle = os.open(folder / HELD, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    ends = time.monotonic() + PATIENCE
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > ends:
                    raise RunError(f"another dayjob is at work in {folder}; wait for it, or stop it") from None
                time.sleep(0.05)
        yield handle
    finally:
        os.close(handle)


def _read(folder: Path) -> list[TrialSpec] | None:
    facts = _facts(folder / RUN)
    if facts is None:
        return None
    try:
        # Trial folders are written relative to the run's, so that it can be moved.
        return [TrialSpec(**{**one, "out": str((folder / one["out"]).resolve())}) for one in facts["trials"]]
    except (KeyError, TypeError) as error:
        raise RunError(f"{folder / RUN} cannot be read: {error}") from error


def _write(folder: Path, specs: Iterable[TrialSpec]) -> None:
    rows = [json.dumps({**asdict(spec), "out": Path(spec.out).name}) for spec in specs]
    head = json.dumps({"format": FORMAT, "written": datetime.now(UTC).isoformat(timespec="seconds")})[:-1]
    write_whole(folder / RUN, f'{head}, "trials": [\n {("," + chr(10) + " ").join(rows)}\n]}}\n'.encode())


def _lock(folder: Path, specs: Iterable[TrialSpec]) -> None:
    """Refuse what the run was not made of; write down what is new."""
    now = ingredients(specs)
    facts = _facts(folder / LOCK)
    if facts is not None:
        facts.pop("format")
        then = Ingredients(**facts)
        if changed := then.changed(now):
            raise RunError(
                f"{folder} is made of something else: {'; '.join(changed)}. "
                "Start another run with -o, so that one run means one thing"
            )
        now = replace(now, python=then.python, images=then.images)
        if now == then:
            return
    write_whole(folder / LOCK, (json.dumps({"format": FORMAT, **asdict(now)}, indent=1) + "\n").encode())


def _facts(path: Path) -> dict[str, Any] | None:
    try:
        facts = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise RunError(f"{path} cannot be read: {error}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise RunError(f"{path} is not of format {FORMAT}; update dayjob")
    return facts


def _difference(then: TrialSpec, now: TrialSpec) -> str:
    before, after = asdict(then), asdict(now)
    return "; ".join(f"{key} {before[key]}, not {after[key]}" for key in before if before[key] != after[key])
