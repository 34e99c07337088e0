"""What a grader has in either sandbox: its uid, and the Python packages it may import without asking."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

# Its uid inside its own room: another one than the examinee's root.
GRADER_UID = 60_000

# What graders, init scripts and solutions may import without asking: `requests` and what it needs.
PACKAGES = ("requests", "urllib3", "idna", "certifi", "charset-normalizer")
# Python appends what such a file names to its path: init scripts find the grading set's stand-ins, while there are any.
STANDINS = ("dayjob-standins.pth", "/utils/standins\n")


def package_files() -> Iterator[tuple[Path, str]]:
    """The Python files of `PACKAGES`, compiled parts left out, so that they fit any interpreter."""
    for name in PACKAGES:
        for file in importlib.metadata.files(name) or ():
            text = str(file)
            if ".." not in text and "__pycache__" not in text and not text.endswith((".so", ".pyc")):
                yield Path(str(file.locate())), text
