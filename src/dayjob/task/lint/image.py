"""The Dockerfile: on the base image, nothing that runs at start, no secrets, no answers in reach, versions pinned."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import PurePosixPath

from dayjob.task.dockerfile import Instruction
from dayjob.task.findings import Finding
from dayjob.task.lint.sheet import Sheet
from dayjob.task.rules import Rule

FILE = "Dockerfile"

# The base image by our name, and by the names under which published tasks know it.
BASES = ("dayjob/task-base", "ghcr.io/theagentcompany/task-base-image", "task-base-image", "base-image")
# Folders of the image that hold what graders and colleagues need; they are withheld from the examinee.
WITHHELD = ("/utils", "/npc")

_SECRET_NAME = re.compile(
    r"(?:^|_)(?:password|passwd|secret|token|api_?key|private_?key|access_?key)(?:$|_)", re.IGNORECASE
)
_SECRET_VALUE = re.compile(r"\b(?:sk-[A-Za-z0-9_-]{16,}|ghp_[A-Za-z0-9]{20,}|glpat-[\w-]{10,}|AKIA[0-9A-Z]{16})")
_ANSWERS = re.compile(
    r"^(?:evaluator\.py|checkpoints\.md|colleagues\.yml|scenarios\.json|solution\.(?:py|sh)|references?|mutants|task\.toml|"
    r"variant\.py|build\.py)(?:/|$)"
    r"|golden|ground_?truth|expected_answer|answer_?key",
    re.IGNORECASE,
)
_PIP = re.compile(r"\b(?:pip3?|python3? -m pip|python_default -m pip|uv pip)\s+install\s+([^&|;]*)")
_PIP_VALUE_FLAGS = {"-r", "-c", "-i", "--index-url", "--extra-index-url", "-t", "--target", "-f", "--find-links", "-e"}
_PIP_VALUE_FLAGS |= {"--requirement", "--constraint", "--editable", "--root", "--prefix", "--timeout", "--retries"}


def check(sheet: Sheet) -> Iterator[Finding]:
    dockerfile = sheet.dockerfile
    if dockerfile is None:
        return
    base, image = dockerfile.base, dockerfile.base_image
    if base is None or image is None:
        yield Finding(Rule.BASE_IMAGE, FILE, 0, "there is no FROM", "Start with FROM dayjob/task-base:1")
    elif image.split("@")[0].rpartition(":")[0] not in BASES and image not in BASES:
        yield Finding(
            Rule.BASE_IMAGE, FILE, base.line, f"'{image}' is not the task base image", "Write FROM dayjob/task-base:1"
        )
    for outer in dockerfile.instructions:
        each = outer.inner
        if each.keyword in ("CMD", "ENTRYPOINT"):
            yield Finding(
                Rule.RUNTIME_COMMAND,
                FILE,
                each.line,
                f"{each.keyword} decides what runs when the container starts, which is not the task's to say",
                "Move it to pre_init.py or post_init.py",
            )
        elif each.keyword in ("ENV", "ARG"):
            yield from _secrets(each)
        elif each.keyword in ("COPY", "ADD"):
            yield from _copies(each, sheet)
        elif each.keyword == "RUN":
            yield from _installs(each)


def _secrets(each: Instruction) -> Iterator[Finding]:
    words = each.words()
    if each.keyword == "ENV" and words and "=" not in words[0]:
        pairs = [(words[0], " ".join(words[1:]))]
    else:
        pairs = [(name, value) for name, _, value in (word.partition("=") for word in words)]
    for name, value in pairs:
        named = _SECRET_NAME.search(name) and value and not value.startswith("$")
        if named or _SECRET_VALUE.search(value):
            yield Finding(
                Rule.SECRET,
                FILE,
                each.line,
                f"{each.keyword} {name} puts a secret where everybody with the image can read it",
                "Remove it: init scripts and graders get their credentials when they run",
            )


def _copies(each: Instruction, sheet: Sheet) -> Iterator[Finding]:
    words = each.words()
    if len(words) < 2 or any(name == "from" for name, _ in each.flags):
        return
    *sources, target = words
    withheld = any(target.rstrip("/") == folder or target.startswith(folder + "/") for folder in WITHHELD)
    for source in sources:
        if "://" in source:
            continue
        plain = str(PurePosixPath(source.lstrip("/"))) if source not in (".", "./", "/") else "."
        everything = plain in (".", "*")
        if not withheld and (everything or _ANSWERS.search(plain)):
            what = "the whole folder" if everything else f"'{source}'"
            yield Finding(
                Rule.ANSWERS_IN_IMAGE,
                FILE,
                each.line,
                f"{what} goes to {target}, where the examinee can read it",
                "Copy only what the examinee may see; keep answers in references/",
            )
        if not everything and not _exists(sheet, plain):
            yield Finding(
                Rule.COPY_MISSING,
                FILE,
                each.line,
                f"there is no '{source}' in this folder",
                "Add it, or correct the name",
            )


def _exists(sheet: Sheet, source: str) -> bool:
    if ".." in PurePosixPath(source).parts or "$" in source:
        return True
    if any(sign in source for sign in "*?["):
        try:
            return any(True for _ in sheet.path.glob(source))
        except (ValueError, OSError):
            return False
    return (sheet.path / source).exists()


def _installs(each: Instruction) -> Iterator[Finding]:
    command = " ".join(each.parts) if each.parts is not None else each.text
    for found in _PIP.finditer(command):
        try:
            words = shlex.split(found.group(1))
        except ValueError:
            words = found.group(1).split()
        skip = False
        for word in words:
            if skip or word.startswith("-"):
                skip = not skip and word in _PIP_VALUE_FLAGS
                continue
            local = "/" in word or word.startswith(".") or word.endswith((".whl", ".txt", ".tar.gz"))
            if not local and not re.search(r"[=<>~@]", word) and not word.startswith("$"):
                yield Finding(
                    Rule.UNPINNED,
                    FILE,
                    each.line,
                    f"'{word}' is installed in whatever version is newest that day",
                    f"Write {word}==VERSION",
                )
