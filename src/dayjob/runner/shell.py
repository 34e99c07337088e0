"""The shell scripts of a job: its variables, then its commands, each told in green before it runs.

As GitLab's runner does it: the first command that fails ends the script, also in the middle of a pipe.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

GREEN, CYAN, YELLOW, RED, RESET = "\x1b[32;1m", "\x1b[36;1m", "\x1b[33;1m", "\x1b[31;1m", "\x1b[0;m"

SHELL = ("/bin/sh", "-c", 'if [ -x /bin/bash ]; then exec /bin/bash "$1"; else exec /bin/sh "$1"; fi', "job")
"""Runs the script whose path is the next word."""

# With bash a pipe fails with any of its parts; a plain shell has no such setting.
_OPENING = """exec 2>&1
if (set -o pipefail) 2>/dev/null; then set -o pipefail; fi
set -o errexit
set +o noclobber
"""


def script(folder: str, variables: Mapping[str, str], commands: Sequence[str]) -> str:
    """The text of a script that runs these commands in a folder."""
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items())
    lines = "".join(f"{_told(command)}\n{command}\n" for command in commands)
    return f"{_OPENING}{exports}cd {shlex.quote(folder)}\n{lines}"


def _told(command: str) -> str:
    first, *rest = command.strip("\n").split("\n")
    note = " # collapsed multi-line command" if rest else ""
    return f"printf '%s\\n' {shlex.quote(f'{GREEN}$ {first}{note}{RESET}')}"
