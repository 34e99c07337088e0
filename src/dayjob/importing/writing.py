"""Writing an import's files, again and again: only what an import wrote, and nobody changed since, is touched."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from dayjob.importing.errors import CannotImport
from dayjob.whole_files import write_whole

LIST = ".imported.json"


@dataclass(slots=True)
class Written:
    """How an import left the folder. `kept` are files of the user's where the import has another opinion."""

    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


class Target:
    """The folder of a world, and what the last import wrote there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ours = self._listed()
        if not self.ours and (folder / "world.toml").exists():
            raise CannotImport(
                f"'{folder}' holds a world that no import made, and it stays as it is. Name another folder."
            )
        if folder.exists() and not folder.is_dir():
            raise CannotImport(f"'{folder}' is a file. Name a folder for the world.")

    def _listed(self) -> dict[str, str]:
        try:
            found = json.loads((self.folder / LIST).read_text("utf-8"))["files"]
            return {str(path): str(digest) for path, digest in found.items()}
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise CannotImport(
                f"'{self.folder / LIST}' does not say what the last import wrote ({type(error).__name__}). "
                "Restore it, or import into another folder."
            ) from error

    def holds(self, path: str) -> bool:
        """Has the user put a file of their own here, or changed ours?"""
        return os.path.isfile(self.folder / path) and not self._is_ours(path)  # False for a name no disk can hold

    def _is_ours(self, path: str) -> bool:
        return path in self.ours and self.ours[path] == _digest((self.folder / path).read_bytes())

    def write(self, files: dict[str, str]) -> Written:
        done = Written()
        try:
            for path in sorted(set(self.ours) - set(files)):
                if (self.folder / path).is_file() and self._is_ours(path):
                    (self.folder / path).unlink()
                    self._prune((self.folder / path).parent)
                    done.removed.append(path)
            listed = {}
            for path, text in sorted(files.items()):
                content = text.encode()
                listed[path] = _digest(content)
                if self.holds(path):
                    if (self.folder / path).read_bytes() != content:
                        done.kept.append(path)
                        listed[path] = self.ours.get(path, "")
                elif not (self.folder / path).is_file() or (self.folder / path).read_bytes() != content:
                    write_whole(self.folder / path, content, settled=False, mode=0o644)
                    done.changed.append(path)
            said = json.dumps({"format": 1, "files": listed}, indent=1, sort_keys=True) + "\n"
            write_whole(self.folder / LIST, said.encode(), settled=False, mode=0o644)
        except OSError as error:
            raise CannotImport(
                f"'{error.filename or self.folder}' could not be written: {error.strerror}. Import again when it can."
            ) from error
        return done

    def _prune(self, folder: Path) -> None:
        while folder != self.folder and not any(folder.iterdir()):
            folder.rmdir()
            folder = folder.parent


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
