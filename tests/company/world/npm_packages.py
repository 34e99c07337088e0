"""Packages from npm for tests, installed once from a hashed lock into the cache; safe for several test processes."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def npm_packages(name: str, lock: Path) -> Path:
    """The `node_modules` that the package-lock.json in a folder asks for; the test is skipped where there is no npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: install Node.js to build the repositories in TypeScript")
    place = ROOT / ".cache" / "clients" / name
    place.mkdir(parents=True, exist_ok=True)
    mark = hashlib.blake2b((lock / "package-lock.json").read_bytes(), digest_size=16).hexdigest()
    with (place.parent / f"{name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        ready = place / "ready"
        if not ready.exists() or ready.read_text() != mark:
            for file in ("package.json", "package-lock.json"):
                shutil.copyfile(lock / file, place / file)
            subprocess.run(
                [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                cwd=place,
                check=True,
                capture_output=True,
                timeout=300,
            )
            ready.write_text(mark)
    return place / "node_modules"
