"""A task's image for embedded rooms: overlay layers, and the environment, folder and user its Dockerfile set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dayjob.grading import GIT_DOOR, GIT_FOLDERS
from dayjob.sandbox.sandbox import BuiltImage, SandboxError


@dataclass(frozen=True, slots=True, kw_only=True)
class Image(BuiltImage):
    """Layers top first, as overlayfs lists them. `system` are host folders shown read-only, if it has no own."""

    layers: tuple[Path, ...]
    system: tuple[str, ...] = ()
    below: int = 1
    """How many of the layers, the last ones, are the base's own."""
    grading: Path | None = None
    """Which of the layers holds what graders and init scripts import."""
    env: Mapping[str, str] = field(default_factory=dict)
    workdir: str = "/workspace"
    user: str = "root"

    def without_grading(self) -> Image:
        return replace(self, layers=tuple(one for one in self.layers if one != self.grading), grading=None)

    @property
    def git_doors(self) -> dict[str, str]:
        """What covers the image's own git where a grader works: the path of each, and the file that covers it.

        Only where git's own folder has the program as well, since that is the one the door opens to.
        """
        for folder in GIT_FOLDERS:
            if all(self._is_file(path) for path in (f"{folder}/git", "/usr/bin/git", GIT_DOOR)):
                return {"/usr/bin/git": GIT_DOOR}
        return {}

    def _is_file(self, path: str) -> bool:
        places = [Path(path)] if any(path.startswith(f"{one}/") for one in self.system) else []
        places += [layer / path[1:] for layer in self.layers]
        return any(place.is_file() and not place.is_symlink() for place in places)

    def ids(self, user: str | None) -> tuple[int, int, str]:
        """The uid, gid and home of a user as a Dockerfile writes it: a name or number, perhaps with a group."""
        name, _, group = (user or self.user).partition(":")
        uid, gid, home = self._person(name)
        if group:
            gid = int(group) if group.isdigit() else self._field("etc/group", group, 2)
        return uid, gid, home

    def _person(self, name: str) -> tuple[int, int, str]:
        for line in self._lines("etc/passwd"):
            fields = line.split(":")
            if len(fields) >= 6 and name in (fields[0], fields[2]):
                return int(fields[2]), int(fields[3]), fields[5]
        if name.isdigit():
            return int(name), int(name), "/"
        raise SandboxError(f"the image has no user '{name}'; make one in the Dockerfile, or name another")

    def _field(self, file: str, name: str, number: int) -> int:
        for line in self._lines(file):
            fields = line.split(":")
            if fields[0] == name:
                return int(fields[number])
        raise SandboxError(f"the image's /{file} has no '{name}'")

    def _lines(self, file: str) -> list[str]:
        for layer in self.layers:
            path = layer / file
            if path.is_file() and not path.is_symlink():
                return path.read_text("utf-8", "replace").splitlines()
        return []
