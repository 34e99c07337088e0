"""Third-party clients that do not fit into our own environment: one environment each, made once, from a hashed lock."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

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
