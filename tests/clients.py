"""Third-party programs that do not fit into our own environment: a folder each, made once, from a hashed lock."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def client_python(name: str) -> Path:
    """The interpreter that has `requirements/clients/<name>.txt`; safe to ask for from several test processes."""
    lock = ROOT / "requirements" / "clients" / f"{name}.txt"
    place = ROOT / ".cache" / "clients" / name
    place.parent.mkdir(parents=True, exist_ok=True)
    mark = hashlib.blake2b(lock.read_bytes() + sys.version.encode(), digest_size=16).hexdigest()
    with (place.parent / f"{name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        ready = place / "ready"
        if not ready.exists() or ready.read_text("utf-8") != mark:
            shutil.rmtree(place, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
            subprocess.run([*pip, "--require-hashes", "--no-deps", "-r", str(lock)], check=True)
            ready.write_text(mark, "utf-8")
    return place / "bin" / "python"


def node_folder(name: str, lock: Path | None = None) -> Path:
    """A folder whose `node_modules` is what the package-lock.json in `lock` pins; skips without npm.

    Without `lock` it is the one in `requirements/clients/<name>`.
    """
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: install Node.js to test with what comes from npm")
    lock = lock or ROOT / "requirements" / "clients" / name
    place = ROOT / ".cache" / "clients" / name
    place.mkdir(parents=True, exist_ok=True)
    mark = hashlib.blake2b((lock / "package-lock.json").read_bytes(), digest_size=16).hexdigest()
    with (place.parent / f"{name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        ready = place / "ready"
        if not ready.exists() or ready.read_text("utf-8") != mark:
            for file in ("package.json", "package-lock.json"):
                shutil.copyfile(lock / file, place / file)
            command = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=300)
            ready.write_text(mark, "utf-8")
    return place
