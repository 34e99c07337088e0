"""The library that gives programs in a room the company's time: where its source is, and how it is built and loaded.

The base of every room has it, built by its own compiler, and loads it into every program (`/etc/ld.so.preload`).
Without the page that it reads (`dayjob.clock_page`) it changes nothing. `docs/clock.md` says what it does and does not.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

LIBRARY = "/usr/lib/company-clock.so"
PRELOAD = "/etc/ld.so.preload"
ON_HOST_TIME = "COMPANY_CLOCK=host"
"""A variable for programs that are to have the host's time: those that carry our files in, with their dates."""

_FOLDER = Path(__file__).parent
_FLAGS = (
    "-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
    # Callers do pass nothing where headers promise that they never will.
    "-fno-delete-null-pointer-checks", "-Wno-nonnull", "-Wno-nonnull-compare",
    # As few pieces to map as can be: every program that starts does.
    "-Wl,-z,noseparate-code", "-Wl,-O1", "-Wl,--hash-style=gnu",
)  # fmt: skip


def sources() -> list[Path]:
    """What it is made of, headers too."""
    return sorted([*_FOLDER.glob("*.c"), *_FOLDER.glob("*.h")])


def command(folder: str, library: str = LIBRARY, *options: str) -> list[str]:
    """The words that build it from its source in a folder."""
    files = [f"{folder}/{path.name}" for path in sources() if path.suffix == ".c"]
    return ["gcc", *_FLAGS, *options, *files, "-o", library]


def digest() -> str:
    """What it is made of and how, in a name."""
    text = "\0".join([*command(""), PRELOAD, *(path.read_text("utf-8") for path in sources())])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
