"""An environment in a folder: what `Premises.keep` wrote, and beside it what the driver knew.

The folder is there whole or not at all, and says by digests whether it still is what was written. It holds the
company's passwords and tokens: its user alone may look into it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dayjob import __version__
from dayjob.agent import Step, ToolCall, Trajectory
from dayjob.env.files import digest
from dayjob.env.values import EnvError
from dayjob.trial.spec import SpecError, TrialSpec

FORMAT = 1
MANIFEST = "checkpoint.json"


@dataclass(frozen=True, slots=True)
class Saved:
    """What stands in the manifest."""

    folder: Path
    spec: TrialSpec
    snapshot: str
    image: str
    known: Mapping[str, Any]
    """What the premises knew."""
    signed_in: dict[str, dict[str, str]]
    trajectory: Trajectory
    finished: str | None


@contextmanager
def new_checkpoint(folder: str | Path) -> Iterator[Path]:
    """A folder to write to, which is called `folder` when all went well, and is gone when not."""
    place = Path(folder).absolute()
    if place.exists() or place.is_symlink():
        raise EnvError(f"'{folder}' is there already; name a folder that is not.")
    building = place.parent / f".{place.name}.{os.urandom(4).hex()}"
    building.mkdir(mode=0o700, parents=True)
    try:
        yield building
        building.rename(place)
    except BaseException:
        shutil.rmtree(building, ignore_errors=True)
        raise


def write_manifest(saved: Saved) -> None:
    """Write down what it is, and what each part has to be. Blocking: for a thread."""
    facts = {
        "format": FORMAT,
        "dayjob": __version__,
        "spec": saved.spec.to_json(),
        "snapshot": saved.snapshot,
        "image": saved.image,
        "known": saved.known,
        "signed_in": saved.signed_in,
        "steps": [asdict(step) for step in saved.trajectory.steps],
        "finished": saved.finished,
        "parts": {part.name: _digest_of(part) for part in sorted(saved.folder.iterdir())},
    }
    (saved.folder / MANIFEST).write_text(json.dumps(facts, indent=1, default=str), "utf-8")


def read_checkpoint(place: str | Path) -> Saved:
    """What a checkpoint says, all of whose parts are as they were written. Blocking: for a thread."""
    folder = Path(place).absolute()
    facts = _manifest(folder)
    for name, wanted in facts["parts"].items():
        part = folder / name
        if not part.exists() or _digest_of(part) != wanted:
            raise EnvError(f"'{folder}' is damaged: {name} is not what was written there. Make the checkpoint anew.")
    trajectory = Trajectory("env", "1")
    trajectory.steps = [_step(**one) for one in facts["steps"]]
    try:
        spec = TrialSpec.from_json(facts["spec"])
    except SpecError as error:
        raise EnvError(f"'{folder}' cannot be read: {error}.") from error
    return Saved(
        folder, spec, facts["snapshot"], facts["image"], facts["known"], facts["signed_in"], trajectory,
        facts["finished"],
    )  # fmt: skip


def _manifest(folder: Path) -> dict[str, Any]:
    file = folder / MANIFEST
    if not file.is_file():
        raise EnvError(f"'{folder}' is no checkpoint: there is no {MANIFEST} in it.")
    try:
        facts: dict[str, Any] = json.loads(file.read_text("utf-8"))
        format = facts["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise EnvError(f"'{folder}' is damaged: {MANIFEST} cannot be read. Make the checkpoint anew.") from error
    if format != FORMAT:
        raise EnvError(f"'{folder}' is a checkpoint of format {format}, and this dayjob reads {FORMAT}; update dayjob.")
    return facts


def _digest_of(part: Path) -> str:
    if part.is_dir():
        return digest(part)
    with part.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _step(tool_calls: list[dict[str, Any]], **facts: Any) -> Step:
    calls = [ToolCall(one["name"], one["arguments"], one["observation"]) for one in tool_calls]
    return Step(**facts, tool_calls=calls)
