"""The files of a world, with a task's overlay merged in, and the list of what is wrong with them."""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

OVERLAY_FILE = "overlay.toml"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a world: which rule, where, what, and how to mend it."""

    rule: str
    file: str
    line: int
    message: str
    fix: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.message} [{self.rule}]" + (f" {self.fix}" if self.fix else "")


@dataclass(slots=True)
class Problems:
    """Collects problems while a world is read; reading goes on, so that one look shows them all."""

    found: list[Problem] = field(default_factory=list)

    def add(self, rule: str, file: str, line: int, message: str, fix: str = "") -> None:
        self.found.append(Problem(rule, file, line, message, fix))


class WorldFiles:
    """Relative path → real file. An overlay's files replace or join the base's; its `overlay.toml` lists deletions.

    What an overlay replaced is still in `layers`, what it deleted is named in `removed`.
    """

    def __init__(self, folder: Path, overlay: Path | None = None, problems: Problems | None = None) -> None:
        self.folder = folder
        self.problems = problems or Problems()
        self._files = dict(self._scan(folder))
        self._replaced: dict[str, Path] = {}
        self.removed: set[str] = set()
        if overlay is not None:
            added = dict(self._scan(overlay))
            if OVERLAY_FILE in added:
                self._delete(added.pop(OVERLAY_FILE))
            self._replaced = {name: self._files[name] for name in added if name in self._files}
            self._files.update(added)

    def _scan(self, folder: Path) -> Iterator[tuple[str, Path]]:
        root = folder.resolve()
        for path, folders, names in os.walk(folder):
            folders.sort()
            for name in sorted(names):
                file = Path(path, name)
                relative = file.relative_to(folder).as_posix()
                if not file.resolve().is_relative_to(root):
                    self.problems.add(
                        "file-outside",
                        relative,
                        0,
                        "This link leads out of the world's folder.",
                        "Put the file itself here.",
                    )
                elif file.is_file():
                    yield relative, file

    def _delete(self, listing: Path) -> None:
        try:
            names = tomllib.loads(listing.read_text("utf-8")).get("delete", [])
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            self.problems.add("syntax", OVERLAY_FILE, 0, f"This is not valid TOML: {error}.")
            return
        for name in names if isinstance(names, list) else []:
            gone = [path for path in self._files if path == name or path.startswith(f"{str(name).rstrip('/')}/")]
            if not gone:
                self.problems.add("overlay", OVERLAY_FILE, 0, f"There is no '{name}' to delete in the world.")
            for path in gone:
                del self._files[path]
            self.removed.update(gone)

    def __contains__(self, relative: str) -> bool:
        return relative in self._files

    def path(self, relative: str) -> Path:
        return self._files[relative]

    def layers(self, relative: str) -> list[Path]:
        """The file as the world has it and as the overlay does, whichever exist, for what a task adds to."""
        return [files[relative] for files in (self._replaced, self._files) if relative in files]

    def under(self, prefix: str, suffix: str = "") -> list[str]:
        """Relative paths that begin with `prefix` and end with `suffix`, sorted."""
        return sorted(name for name in self._files if name.startswith(prefix) and name.endswith(suffix))

    def text(self, relative: str) -> str | None:
        """The file's text, or None (and a problem) when it is not UTF-8."""
        return self.text_of(self._files[relative], relative)

    def text_of(self, path: Path, relative: str) -> str | None:
        """The same for one of a file's layers."""
        try:
            return path.read_text("utf-8")
        except UnicodeDecodeError as error:
            self.problems.add(
                "encoding", relative, 0, f"This is not UTF-8 text (byte {error.start}).", "Save it as UTF-8."
            )
            return None

    def key(self) -> str:
        """A hash of every name, mode and content: two worlds with one key compile to the same snapshot."""
        digest = hashlib.sha256()
        for name, path in [*sorted(self._files.items()), *sorted(self._replaced.items())]:
            executable = os.access(path, os.X_OK)
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            digest.update(f"{name}\0{executable}\0{content}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()
