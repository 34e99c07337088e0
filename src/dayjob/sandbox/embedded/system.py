"""Images with a system of their own: a small Debian below the task's layers, for tasks that change the system.

Needed where a Dockerfile installs system packages, since the host's /usr is read-only in a room. It is made once with
mmdebstrap and unpacked with its owners moved into the rooms' range of uids, so root inside can replace any of it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from dayjob.sandbox.embedded.base import fill_common
from dayjob.sandbox.embedded.identity import Identity
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.sandbox import SandboxError

if TYPE_CHECKING:
    from dayjob.task.dockerfile import Dockerfile

SUITE = "bookworm"
PACKAGES = ("python3", "python3-pip", "python3-venv", "ca-certificates", "curl", "git", "procps")
_CHANGES_SYSTEM = re.compile(r"\b(apt|apt-get|aptitude|dpkg|add-apt-repository)\b")


def has_own_system(dockerfile: Dockerfile) -> bool:
    """Whether a RUN installs system packages."""
    return any(one.keyword == "RUN" and _CHANGES_SYSTEM.search(one.text) for one in dockerfile.instructions)


def obstacle(store: LayerStore | None = None) -> str | None:
    """Why this machine cannot make such images, or None."""
    if os.geteuid() != 0:
        return "images with a system of their own need root, which has more than one uid to hand out"
    if store is not None:
        tar = store.folder.parent / f"system-{SUITE}.tar"
        if store.has(_system_key(store.identity)) or tar.exists():
            return None
    if shutil.which("mmdebstrap") is None:
        return "mmdebstrap is not installed; install it with: apt-get install mmdebstrap"
    return None


def system_layers(store: LayerStore, identity: Identity) -> list[str]:
    """The keys of the system and of our own layer on it, bottom first."""
    if why := obstacle(store):
        raise SandboxError(f"this task's Dockerfile changes the system: {why}")
    cache = store.folder.parent
    system = store.make(_system_key(identity), lambda folder: _debian(folder, system_tar(cache), identity), owned=True)
    common = store.make(f"{system}-common-2", fill_common)
    return [system, common]


def _system_key(identity: Identity) -> str:
    facts = repr((1, SUITE, PACKAGES, identity))
    return "system-" + hashlib.sha256(facts.encode()).hexdigest()[:24]


def system_tar(folder: Path) -> Path:
    """The Debian as a tar in this folder, made now if it is not there."""
    tar = folder / f"system-{SUITE}.tar"
    if not tar.exists():
        part = tar.with_suffix(f".{os.getpid()}.tar")
        made = subprocess.run(
            ["mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(part)],
            capture_output=True,
            text=True,
        )
        if made.returncode:
            part.unlink(missing_ok=True)
            raise SandboxError(f"mmdebstrap could not make a Debian system: {made.stderr.strip()[-500:]}")
        part.chmod(0o600)
        part.rename(tar)
    return tar


def _debian(folder: Path, tar: Path, identity: Identity) -> None:
    subprocess.run(
        ["tar", "-xpf", str(tar), "--numeric-owner", "--exclude=./dev/*", "-C", str(folder)], check=True, timeout=600
    )
    certificates = Path("/etc/ssl/certs/ca-certificates.crt")
    if certificates.is_file():
        shutil.copyfile(certificates, folder / "etc/ssl/certs/ca-certificates.crt")
    for path, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            place = os.path.join(path, name)
            info = os.lstat(place)
            if info.st_uid < identity.first:
                os.chown(place, identity.first + info.st_uid, identity.first + info.st_gid, follow_symlinks=False)
                if not os.path.islink(place):
                    os.chmod(place, info.st_mode & 0o7777)  # changing the owner took setuid bits away
