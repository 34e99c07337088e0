"""What a run is made of: versions, the content of its tasks and worlds, its models."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dayjob import __version__
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.llm.settings import ROLES, SettingsError, load_settings
from dayjob.llm.settings import Role as ModelRole
from dayjob.task import TaskError
from dayjob.task.model import load_settings as load_task_settings
from dayjob.trial.spec import TrialSpec

# What tools leave in a task's folder without changing the task.
_PASSING = frozenset({"__pycache__", ".git", ".mypy_cache", ".ruff_cache", ".pytest_cache"})


@dataclass(frozen=True, slots=True)
class Ingredients:
    """Hashes are SHA-256 over names, modes and content."""

    dayjob: str
    python: str
    tasks: Mapping[str, str]
    worlds: Mapping[str, str]
    agents: list[str]
    sandboxes: list[str]
    models: Mapping[str, Mapping[str, str]]
    """Which model each role has, by the models the trials name; keys and addresses are not in it."""
    images: Mapping[str, list[str]] = field(default_factory=dict)
    """The keys of the images each task was built to, as trials ended."""

    def changed(self, now: Ingredients) -> list[str]:
        """Sentences about what is different now; what is only new is no difference."""
        found = []
        if now.dayjob != self.dayjob:
            found.append(f"dayjob was {self.dayjob} and is {now.dayjob}")
        for what, before, after in (("task", self.tasks, now.tasks), ("world", self.worlds, now.worlds)):
            found += [f"the {what} {key} has changed" for key in before if after.get(key, before[key]) != before[key]]
        for named, before in self.models.items():
            after = now.models.get(named, before)
            for role in {**before, **after}:
                if before.get(role) != after.get(role):
                    found.append(f"the {role}'s model was {before.get(role)} and is {after.get(role)}")
        return found


def ingredients(specs: Iterable[TrialSpec]) -> Ingredients:
    """Read what these trials are made of, each task and world once."""
    tasks: dict[str, str] = {}
    worlds: dict[str, str] = {}
    agents: set[str] = set()
    sandboxes: set[str] = set()
    models: dict[str, Mapping[str, str]] = {}
    pairs: set[tuple[str, str | None]] = set()
    for spec in specs:
        agents.add(spec.agent)
        sandboxes.add(spec.sandbox)
        pairs.add((spec.task, spec.world))
        named = (spec.model, spec.npc_model, spec.judge_model)
        key = ", ".join(str(name or "as set") for name in named)
        if key not in models:
            models[key] = _models(named)
    for task, world in sorted(pairs, key=str):
        if task not in tasks:
            tasks[task] = digest(Path(task))
        name = world or _world_of(Path(task))
        if name not in worlds:
            try:
                worlds[name] = digest(find_world(name))
            except UnknownWorld:
                worlds[name] = "missing"
    return Ingredients(__version__, platform.python_version(), tasks, worlds, sorted(agents), sorted(sandboxes), models)


def digest(folder: Path) -> str:
    """One hash for a folder's files: relative names, whether one may run them, and content."""
    whole = hashlib.sha256()
    for path in sorted(files_of(folder)):
        link = path.is_symlink()
        content = os.readlink(path).encode() if link else path.read_bytes()
        kind = "link" if link else "program" if os.access(path, os.X_OK) else "file"
        name = path.relative_to(folder).as_posix()
        whole.update(f"{kind} {len(content)} {name}\n".encode())
        whole.update(content)
    return whole.hexdigest()


def files_of(folder: Path) -> Iterator[Path]:
    """The files and links that make a folder what it is."""
    for entry in os.scandir(folder):
        if entry.name in _PASSING:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from files_of(Path(entry.path))
        elif entry.is_file() or entry.is_symlink():
            yield Path(entry.path)


def _world_of(task: Path) -> str:
    try:
        return load_task_settings(task).world
    except TaskError:
        return "unknown"  # the trial will say what is wrong with the task, as its outcome


def _models(named: tuple[str | None, ...]) -> dict[str, str]:
    flags: dict[ModelRole, str] = {role: name for role, name in zip(ROLES, named, strict=True) if name is not None}
    try:
        settings = load_settings(Path("dayjob.toml"), os.environ, flags)
    except SettingsError as error:
        return {"error": str(error)}
    return {role: model.shown for role, model in settings.roles.items()}
