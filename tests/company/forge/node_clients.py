"""GitLab's clients from npm, installed once from a hashed lock into the cache; safe for several test processes."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCK = ROOT / "requirements" / "clients" / "gitlab-node"


def node_clients() -> Path:
    """A folder whose `node_modules` has the clients; the test is skipped where there is no npm."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: install Node.js to test the clients from npm")
    place = ROOT / ".cache" / "clients" / "gitlab-node"
    place.mkdir(parents=True, exist_ok=True)
    mark = hashlib.blake2b((LOCK / "package-lock.json").read_bytes(), digest_size=16).hexdigest()
    with (place.parent / "gitlab-node.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        ready = place / "ready"
        if not ready.exists() or ready.read_text() != mark:
            for name in ("package.json", "package-lock.json"):
                shutil.copyfile(LOCK / name, place / name)
            subprocess.run(
                [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"],
                cwd=place,
                check=True,
                capture_output=True,
                timeout=300,
            )
            ready.write_text(mark)
    return place
