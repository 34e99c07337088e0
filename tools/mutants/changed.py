"""The lines of `src/` that a change touches: between the merge base with main and the files as they are."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tools.mutants.mutant import Mutant


def changed_lines(root: Path, since: str | None = None, package: str = "src/dayjob") -> dict[str, set[int]]:
    """Line numbers by file, of what was added or changed; a file git does not know yet counts whole."""
    base = since or _git(root, "merge-base", "HEAD", "main").strip()
    found: dict[str, set[int]] = {}
    file = ""
    for line in _git(root, "diff", "--unified=0", "--no-color", "--no-ext-diff", base, "--", package).splitlines():
        if line.startswith("+++ "):
            file = line[6:] if line.startswith("+++ b/") else ""
        elif file.endswith(".py") and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            found.setdefault(file, set()).update(range(first, first + count))
    for name in _git(root, "ls-files", "--others", "--exclude-standard", "--", package).splitlines():
        if name.endswith(".py"):
            found[name] = set(range(1, (root / name).read_bytes().count(b"\n") + 2))
    return {name: lines for name, lines in found.items() if lines and (root / name).is_file()}


def on_lines(mutants: list[Mutant], lines: dict[str, set[int]]) -> list[Mutant]:
    return [one for one in mutants if one.line in lines.get(one.path, ())]


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout
