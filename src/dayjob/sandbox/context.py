"""A task folder as what COPY and ADD read from: which files a source means, and which of them an examinee may not see.

Also the copies every task image makes by itself (the base image's ONBUILD): the same list for every sandbox.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from dayjob.sandbox.sandbox import SandboxError

if TYPE_CHECKING:
    from dayjob.task.dockerfile import Dockerfile

# Parts of a task folder that are for graders, init scripts and colleagues: never there while the examinee works.
WITHHELD = (
    "evaluator.py", "checkpoints.md", "colleagues.yml", "scenarios.json", "solution.py", "solution.sh", "mutants",
    "references", "world", "task.toml", "key.yml", "paraphrases.yml",
    "pre_init.py", "pre_init.sh", "populate_data.py", "populate_data.sh", "post_init.py", "post_init.sh",
    "variant.py", "build.py",
)  # fmt: skip
# And templates, wherever they are: a made variant has none.
_TEMPLATE = ".j2"

# What the base image copies when a task image is built on it: source (may be missing) and folder.
ONBUILD = (
    ("task.md", "/instruction/"),
    ("evaluator.py", "/utils/"),
    ("dependencies.yml", "/utils/"),
    ("references", "/utils/references/"),
    ("pre_init.py", "/utils/"), ("pre_init.sh", "/utils/"),
    ("populate_data.py", "/utils/"), ("populate_data.sh", "/utils/"),
    ("post_init.py", "/utils/"), ("post_init.sh", "/utils/"),
    ("scenarios.json", "/npc/"),
)  # fmt: skip

# Folders that every image has. What is copied to a folder goes into it, with or without a slash at its end.
FOLDERS = frozenset({
    "/", "/workspace", "/instruction", "/utils", "/npc", "/root", "/tmp", "/home", "/opt", "/srv", "/mnt", "/etc",
    "/var", "/usr", "/usr/local", "/usr/local/bin", "/usr/local/lib", "/usr/local/share", "/usr/bin",
})  # fmt: skip
_MKDIR = re.compile(r"\bmkdir\s+([^&|;\n]+)")

# Folders that are emptied before the examinee starts, whoever filled them.
SEALED_FOLDERS = ("/utils/", "/npc/")


@dataclass(frozen=True, slots=True)
class Copy:
    """One file, folder or link to be placed: from the task folder, to an absolute path in the image."""

    source: Path
    target: str
    withheld: bool


class Context:
    """The files of one task folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ignored = self._read_ignored()

    def _read_ignored(self) -> list[tuple[bool, str]]:
        path = self.folder / ".dockerignore"
        if not path.is_file():
            return []
        lines = (line.strip() for line in path.read_text("utf-8", "replace").splitlines())
        return [
            (not line.startswith("!"), line.lstrip("!").strip("/"))
            for line in lines
            if line and not line.startswith("#")
        ]

    def ignores(self, relative: str) -> bool:
        """Whether .dockerignore leaves this file out; later lines win."""
        verdict = False
        for leave_out, pattern in self._ignored:
            pattern = pattern.removeprefix("**/")
            if fnmatch.fnmatch(relative, pattern) or relative.startswith(f"{pattern}/"):
                verdict = leave_out
        return verdict

    def copies(
        self,
        sources: list[str],
        destination: str,
        workdir: str,
        is_folder: Callable[[str], bool] = FOLDERS.__contains__,
    ) -> list[Copy]:
        """What `COPY sources… destination` places. Raises `SandboxError` for what is not there or lies outside."""
        target = str(PurePosixPath(workdir, destination))
        found = [path for source in sources for path in self._matches(source)]
        into_folder = destination.endswith(("/", "/.")) or len(found) > 1 or is_folder(target)
        copies = []
        for path in found:
            if path.is_dir():
                copies += list(self._folder(path, target))
            else:
                copies.append(self._one(path, f"{target.rstrip('/')}/{path.name}" if into_folder else target))
        return copies

    def onbuild(self) -> list[Copy]:
        """The base image's own copies, of what this task has: its parts, and the modules that they import."""
        copies = []
        for source, folder in ONBUILD:
            path = self.folder / source
            if path.is_dir():
                copies += list(self._folder(path, folder.rstrip("/")))
            elif path.is_file():
                copies.append(self._one(path, folder + source))
        placed = {copy.source for copy in copies}
        for path in sorted(self.folder.glob("*.py")):
            if path not in placed and path.is_file() and not path.name.startswith("solut"):
                copies.append(self._one(path, f"/utils/{path.name}"))
        return copies

    def _matches(self, source: str) -> list[Path]:
        relative = os.path.normpath(source.lstrip("/"))
        if relative.startswith(".."):
            raise SandboxError(f"'{source}' is outside the task's folder; COPY can only read what is in it")
        if any(sign in relative for sign in "*?["):
            found = sorted(self.folder.glob(relative))
        else:
            path = self.folder / relative
            found = [path] if path.exists() or path.is_symlink() else []
        found = [path for path in found if not self.ignores(path.relative_to(self.folder).as_posix())]
        for path in found:
            if not path.resolve().is_relative_to(self.folder.resolve()):
                raise SandboxError(f"'{source}' is a link out of the task's folder")
        if not found:
            raise SandboxError(f"there is no '{source}' in the task's folder")
        return found

    def _folder(self, folder: Path, target: str) -> Iterator[Copy]:
        yield self._one(folder, target)
        for path in sorted(folder.rglob("*")):
            relative = path.relative_to(self.folder).as_posix()
            if not self.ignores(relative) and "__pycache__" not in path.parts:
                yield self._one(path, f"{target.rstrip('/')}/{path.relative_to(folder).as_posix()}")

    def _one(self, path: Path, target: str) -> Copy:
        first = path.relative_to(self.folder).parts[:1]
        return Copy(path, target, path.suffix == _TEMPLATE or (bool(first) and first[0] in WITHHELD))


def dockerfile_copies(context: Context, dockerfile: Dockerfile) -> list[Copy]:
    """Everything a Dockerfile copies out of the task's folder."""
    from dayjob.task.dockerfile import expand  # late: only those who read Dockerfiles need it

    workdir, variables, found, folders = "/workspace", dict[str, str](), list[Copy](), set(FOLDERS)
    for instruction in dockerfile.instructions:
        if instruction.keyword == "WORKDIR":
            workdir = str(PurePosixPath(workdir, expand(instruction.text, variables)))
            folders.add(workdir)
        elif instruction.keyword == "RUN":
            made = [word for words in _MKDIR.findall(" ".join(instruction.words())) for word in words.split()]
            folders |= {str(PurePosixPath(workdir, expand(word, variables))) for word in made if word[0] != "-"}
        elif instruction.keyword in ("ARG", "ENV"):
            for word in instruction.words():
                name, _, value = word.partition("=")
                variables[name] = expand(value, variables)
        elif instruction.keyword in ("COPY", "ADD") and not any(name == "from" for name, _ in instruction.flags):
            *sources, destination = (expand(word, variables) for word in instruction.words())
            if local := [source for source in sources if "://" not in source]:
                copies = context.copies(local, destination, workdir, folders.__contains__)
                folders |= {str(PurePosixPath(copy.target).parent) for copy in copies}
                folders |= {copy.target for copy in copies if copy.source.is_dir()}
                found += copies
    return found


def withheld_copies(context: Context, dockerfile: Dockerfile) -> list[str]:
    """Where a Dockerfile copies parts of the task that the examinee may not see."""
    copies = dockerfile_copies(context, dockerfile)
    return [copy.target for copy in copies if copy.withheld and not copy.source.is_dir()]


def digest(copies: list[Copy]) -> str:
    """A hash of what the copies would place: paths, permissions and content."""
    total = hashlib.sha256()
    for copy in copies:
        total.update(copy.target.encode("utf-8", "surrogateescape") + b"\0")
        if copy.source.is_symlink():
            total.update(b"l" + os.readlink(copy.source).encode("utf-8", "surrogateescape"))
        elif copy.source.is_file():
            executable = bool(copy.source.stat().st_mode & 0o111)
            total.update(b"x" if executable else b"f")
            with open(copy.source, "rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        total.update(b"\0")
    return total.hexdigest()
