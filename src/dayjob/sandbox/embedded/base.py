"""The bottom layers of every embedded image: a system, the folders tasks expect, and what graders import.

The system is a Debian of its own, made once on this machine (`own_base`). Where none can be made the programs are the
host's (`host_base`): `/usr`, read-only and without `/usr/local`, with an /etc of Debian's harmless parts.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dayjob import grading
from dayjob.sandbox import debian
from dayjob.sandbox.embedded.identity import Identity, of_this_user
from dayjob.sandbox.embedded.layers import BASE, LayerStore
from dayjob.sandbox.grader import PACKAGES, STANDINS, package_files
from dayjob.sandbox.sandbox import SandboxError
from dayjob.task.base_packages import PYTHON_VERSION, RELEASE, WHEELS
from dayjob.task.dockerfile import Dockerfile

_VERSION = 4
PYTHON = "/usr/bin/python3"
HOST = "the host's /usr"
_ROOT = "DAYJOB_ROOT"
_CHANGES_SYSTEM = re.compile(r"\b(apt|apt-get|aptitude|dpkg|add-apt-repository)\b")

_FOLDERS = (
    "dev", "proc", "run", "mnt", "srv", "opt", "home", "etc", "var/tmp", "var/log", "var/cache", "var/lib",
    "workspace", "instruction", "utils", "npc", "root", "tmp", "usr/local/bin", "usr/local/lib", "usr/local/share",
    *(f"usr/share/man/man{number}" for number in range(1, 9)),  # packages register pages there, though none are kept
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


@dataclass(frozen=True, slots=True)
class Base:
    """What an image's own layers stand on."""

    name: str
    """Which system it is, for the outcome."""
    layers: tuple[str, ...]
    """Their keys, bottom first."""
    system: tuple[str, ...] = ()
    """Folders of the host that rooms show read-only; none where the system is its own."""
    python: tuple[str, ...] = (PYTHON,)
    """The words that start its Python on the host, to compile for it."""


def changes_system(dockerfile: Dockerfile) -> bool:
    """Whether a RUN installs system packages."""
    return any(one.keyword == "RUN" and _CHANGES_SYSTEM.search(one.text) for one in dockerfile.instructions)


def host_system() -> list[str]:
    """The host's folders below /usr that a room may show read-only; never /usr/local."""
    return [f"/usr/{name}" for name in sorted(os.listdir("/usr")) if name != "local" and Path("/usr", name).is_dir()]


# -- a system of its own -------------------------------------------------------------------------------------------


def layer_store(cache: Path) -> LayerStore:
    """The layers of this user in a cache; those of the base where `DAYJOB_BASES` says, if it does."""
    bases = os.environ.get("DAYJOB_BASES")
    return LayerStore(cache, of_this_user(), Path(bases) if bases else None)


def use_host(why: str) -> None:
    """Have this process and those it starts show the host's programs, without trying again."""
    os.environ[_ROOT] = f"host: {why}"


def own_is_made(store: LayerStore) -> bool:
    return all(store.has(key) for key in _own_keys(store.identity))


def own_obstacle(store: LayerStore) -> str | None:
    """Why rooms here cannot have a system of their own, as far as that is known without making one, or None."""
    asked, _, why = os.environ.get(_ROOT, "").partition(": ")
    if asked == "host":
        return why or f"{_ROOT}=host asks for the host's; unset it"
    return None if store.has(_own_keys(store.identity)[0]) else debian.obstacle()


def remove_old(store: LayerStore) -> list[str]:
    """Remove systems that this version does not use, with what was laid on them; returns a sentence for each."""
    done = []
    for path in sorted(store.bases.folder.glob(f"{BASE}*")):
        if not path.name.startswith(_own_keys(store.identity)[0]):
            shutil.rmtree(path)
            done.append(f"{path}: removed, which is of another version")
    return done


def own_base(store: LayerStore, say: debian.Say) -> Base:
    """A Debian of its own, made now if there is none in this cache yet. Raises `SandboxError`."""
    if why := own_obstacle(store):
        raise SandboxError(why)
    system, common = _own_keys(store.identity)
    try:
        store.make(system, lambda folder: _make_own(folder, store.identity, say), owned=True)
        root = store.path(system)
        python = tuple(debian.program(root, os.path.realpath(root / PYTHON[1:]).removeprefix(f"{root}/")))
        store.make(common, lambda folder: _fill_own_common(folder, python))
    except OSError as error:
        raise SandboxError(f"{RELEASE} could not be made in {store.folder}: {error.strerror or error}") from error
    return Base(f"{RELEASE}, {store.note(system).get('fingerprint')}", (system, common), python=python)


def _own_keys(identity: Identity) -> tuple[str, str]:
    """The names of its two layers: the system, and what every image has on it."""
    system = f"{BASE}{debian.key()}-{identity.first}"
    return system, f"{system}-{_common_digest()}"


def _make_own(folder: Path, identity: Identity, say: debian.Say) -> dict[str, object]:
    debian.make(folder, say)
    if identity.separate:
        _move_owners(folder, identity)
    return {"fingerprint": debian.fingerprint((folder / "var/lib/dpkg/status").read_text("utf-8", "replace"))}


def _move_owners(folder: Path, identity: Identity) -> None:
    """Give what is root's to the rooms' root, and so on."""
    for path, folders, files in os.walk(folder):
        for name in (*([""] if path == str(folder) else []), *folders, *files):
            place = os.path.join(path, name)
            info = os.lstat(place)
            if info.st_uid >= identity.first:
                continue  # another name of a file that was moved
            os.chown(place, identity.first + info.st_uid, identity.first + info.st_gid, follow_symlinks=False)
            if not os.path.islink(place):
                os.chmod(place, info.st_mode & 0o7777)  # changing the owner took setuid bits away


def _fill_own_common(folder: Path, python: tuple[str, ...]) -> None:
    place = "/usr/local/lib/python{}.{}/dist-packages".format(*PYTHON_VERSION)
    fill_common(folder, place, python, lambda packages: debian.add_wheels(packages, python))


# -- the host's ------------------------------------------------------------------------------------------------------


def host_base(store: LayerStore) -> Base:
    """The host's programs, with an /etc of our own."""
    if not os.access(PYTHON, os.X_OK):
        raise SandboxError(f"there is no {PYTHON}, which graders run with; install the system's python3")
    shown = host_system()
    facts = json.dumps(
        [_common_digest(), _packages_folder(), shown, store.identity.first, sorted(_TEXTS.items()), _ETC]
    )
    key = "host-" + hashlib.sha256(facts.encode()).hexdigest()[:24]
    return Base(HOST, (store.make(key, _fill_host),), tuple(shown))


@functools.cache
def _packages_folder() -> str:
    """Where the host's Python looks for packages below /usr/local."""
    asked = "import sys; print('/usr/local/lib/python%d.%d/' % sys.version_info[:2], end='')"
    said = subprocess.run([PYTHON, "-I", "-S", "-c", asked], capture_output=True, text=True, check=True).stdout
    return said + ("dist-packages" if Path("/usr/lib/python3/dist-packages").is_dir() else "site-packages")


def _fill_host(folder: Path) -> None:
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
    fill_common(folder, _packages_folder())


# -- what both have --------------------------------------------------------------------------------------------------


@functools.cache
def _common_digest() -> str:
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    return hashlib.sha256(json.dumps([_VERSION, versions, STANDINS, _FOLDERS, [*WHEELS]]).encode()).hexdigest()[:16]


def fill_common(
    folder: Path,
    place: str,
    python: tuple[str, ...] = (PYTHON,),
    add: Callable[[Path], None] | None = None,
) -> None:
    """What every image has, whatever its system: the folders tasks expect, `python_default`, graders' packages.

    `place`: where its Python looks for packages below /usr/local; `add` puts more there.
    """
    for name in _FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in ("python", "python3", "python_default"):
        (folder / "usr/local/bin" / name).symlink_to(PYTHON)
    (folder / "usr/local/bin/pip").symlink_to("/usr/bin/pip3")
    packages = folder / place.lstrip("/")
    packages.mkdir(parents=True)
    for source, name in package_files():
        (packages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, packages / name)
    (packages / STANDINS[0]).write_text(STANDINS[1])
    if add is not None:
        add(packages)
    _compile(folder, packages, python)
    for name in _OPEN_FOLDERS:
        (folder / name).chmod(0o1777)
    (folder / "root").chmod(0o700)


def grading_layer(store: LayerStore, base: Base) -> str:
    """The key of a layer with the grading set in /utils, named by its content."""

    def fill(folder: Path) -> None:
        grading.place(folder / "utils")
        _compile(folder, folder / "utils", base.python)

    return store.make(f"grading-{_VERSION}-{_grading_digest()}-{base.layers[-1]}", fill)


@functools.cache
def _grading_digest() -> str:
    total = hashlib.sha256()
    package = Path(grading.__file__).parent.parent
    parts = [package / name for name in grading.TRAVELS]
    for path in sorted(path for part in parts for path in ([part] if part.is_file() else part.rglob("*.py"))):
        total.update(f"{path.relative_to(package)}\0".encode() + path.read_bytes() + b"\0")
    return total.hexdigest()[:24]


def _compile(root: Path, folder: Path, python: tuple[str, ...]) -> None:
    """A room cannot keep what its interpreter compiles, so every start of it would compile the same again.

    By content, not by the files' times, so that it is the same on every machine.
    """
    command = [
        *python,
        "-I",
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode=checked-hash",
        "-s",
        str(root),
        "-p",
        "/",
    ]
    subprocess.run([*command, str(folder)], check=False, stdout=subprocess.DEVNULL)


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
