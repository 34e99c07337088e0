"""The bottom layer of every embedded image: an /etc of our own, the folders tasks expect, and what graders import.

The programs are the host's (`/usr`, read-only, without `/usr/local`). The layer is made once per machine from nothing
but files that are already here: Debian's harmless parts of /etc, and pure-Python packages this program itself uses.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import os
import shutil
import subprocess
from pathlib import Path

from dayjob import grading
from dayjob.sandbox.embedded.identity import Identity
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.grader import PACKAGES, STANDINS, package_files
from dayjob.sandbox.sandbox import SandboxError

_VERSION = 1
PYTHON = "/usr/bin/python3"

_FOLDERS = (
    "dev", "proc", "run", "mnt", "srv", "opt", "home", "etc", "var/tmp", "var/log", "var/cache", "var/lib",
    "workspace", "instruction", "utils", "npc", "root", "tmp", "usr/local/bin", "usr/local/lib", "usr/local/share",
)  # fmt: skip
_OPEN_FOLDERS = ("tmp", "var/tmp")

# Parts of the host's /etc that programs below /usr need and that say nothing about this machine or its people.
_ETC = (
    "alternatives", "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "ld.so.cache", "ld.so.conf", "ld.so.conf.d",
    "mime.types", "localtime", "services", "protocols", "python3", "python3.10", "python3.11", "python3.12",
    "python3.13", "perl", "terminfo", "magic", "fonts", "debian_version", "os-release", "inputrc", "bash.bashrc",
    "profile", "ImageMagick-6", "libreoffice", "chromium", "chromium.d", "java-17-openjdk", "R",
)  # fmt: skip

_TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    "grader:x:60000:60000:grader:/tmp:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\ntty:x:5:\nnogroup:x:65534:\ngrader:x:60000:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
    "etc/hosts": "127.0.0.1 localhost\n",
    "etc/resolv.conf": "",
    "etc/shells": "/bin/sh\n/bin/bash\n",
    "etc/gitconfig": "",
}


def host_system() -> list[str]:
    """The host's folders below /usr that a room shows read-only; never /usr/local."""
    return [f"/usr/{name}" for name in sorted(os.listdir("/usr")) if name != "local" and Path("/usr", name).is_dir()]


def base_layer(store: LayerStore, identity: Identity) -> str:
    """The key of the base layer, made now if this machine has none yet."""
    if not os.access(PYTHON, os.X_OK):
        raise SandboxError(f"there is no {PYTHON}, which graders run with; install the system's python3")
    return store.make(_key(identity), _fill)


def grading_layer(store: LayerStore) -> str:
    """The key of a layer with the grading set in /utils, named by its content."""
    return store.make(f"grading-{_VERSION}-{store.identity.first}-{_grading_digest()}", _place_grading)


@functools.cache
def _grading_digest() -> str:
    total = hashlib.sha256()
    package = Path(grading.__file__).parent.parent
    parts = [package / name for name in grading.TRAVELS]
    for path in sorted(path for part in parts for path in ([part] if part.is_file() else part.rglob("*.py"))):
        total.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return total.hexdigest()[:24]


def _place_grading(folder: Path) -> None:
    grading.place(folder / "utils")
    _compile(folder, folder / "utils")


def _compile(root: Path, folder: Path) -> None:
    """A room cannot keep what its interpreter compiles, so every start of it would compile the same again."""
    command = [PYTHON, "-I", "-m", "compileall", "-q", "-s", str(root), "-p", "/", str(folder)]
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)


@functools.cache
def _key(identity: Identity) -> str:
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    facts = [
        _VERSION,
        versions,
        packages_folder(),
        host_system(),
        identity.first,
        sorted(_TEXTS.items()),
        _ETC,
        STANDINS,
    ]
    return "base-" + hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:24]


@functools.cache
def packages_folder() -> str:
    """Where the host's Python looks for packages below /usr/local."""
    asked = "import sysconfig, sys; print('/usr/local/lib/python%d.%d/' % sys.version_info[:2], end='')"
    said = subprocess.run([PYTHON, "-I", "-S", "-c", asked], capture_output=True, text=True, check=True).stdout
    return said + ("dist-packages" if Path("/usr/lib/python3/dist-packages").is_dir() else "site-packages")


def _fill(folder: Path) -> None:
    for path in host_system():
        (folder / path.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if Path("/usr", name).is_dir():
            (folder / name).symlink_to(f"usr/{name}")
    for name in _ETC:
        _copy(Path("/etc", name), folder / "etc" / name)
    for name, text in _TEXTS.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        (folder / name).write_text(text, "utf-8")
    fill_common(folder)


def fill_common(folder: Path) -> None:
    """What every image has, whatever its system: the folders tasks expect, `python_default`, graders' packages."""
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("python", "python3", "python_default"):
        (folder / "usr/local/bin" / name).symlink_to(PYTHON)
    (folder / "usr/local/bin/pip").symlink_to("/usr/bin/pip3")
    packages = folder / packages_folder().lstrip("/")
    packages.mkdir(parents=True)
    for source, name in package_files():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, packages / name)
    (packages / STANDINS[0]).write_text(STANDINS[1])
    _compile(folder, packages)
    for name in _OPEN_FOLDERS:
        (folder / name).chmod(0o1777)
    (folder / "root").chmod(0o700)


def _copy(source: Path, target: Path) -> None:
    if source.is_symlink() and source.name != "localtime":
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to(os.readlink(source))
    elif source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        for child in sorted(source.iterdir()):
            _copy(child, target / child.name)
    elif source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.stat().st_mode & 0o004:  # what others may not read here, a room does not need
            shutil.copyfile(source, target)
