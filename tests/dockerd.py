"""A private Docker daemon for tests and benchmarks: its own folders and socket, a base image made here, nothing pulled.

Installs `docker.io` and `mmdebstrap` when they are absent and this is Debian with root. The system is kept in `.cache`,
and so is the base image, in the folder of a daemon that begins and ends with nothing else in it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from dayjob.sandbox.embedded.base import layer_store, own_base
from dayjob.sandbox.embedded.identity import FIRST_UID

# The system that rooms and containers stand on is made once, and kept between runs: caches of tests come and go.
BASES = os.environ.setdefault("DAYJOB_BASES", str(Path(__file__).parents[1] / ".cache" / "bases"))
BASE_IMAGE = "dayjob-test/debian:1"
PLAIN_IMAGE = f"{BASE_IMAGE}-plain"
KEPT = Path(__file__).parents[1] / ".cache" / "docker"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def install() -> None:
    """Have dockerd and mmdebstrap."""
    missing = [
        package
        for command, package in (("dockerd", "docker.io"), ("mmdebstrap", "mmdebstrap"))
        if not shutil.which(command, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    ]
    if missing:
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=env, stdout=subprocess.DEVNULL)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
            check=True,
            env=env,
            stdout=subprocess.DEVNULL,
        )


def base_layers() -> list[Path]:
    """The system that embedded rooms stand on, bottom first, made once: containers have the same."""
    install()
    store = layer_store(Path(BASES))
    return [store.path(key) for key in own_base(store, lambda _: None).layers]


def _write_tar(out: IO[bytes]) -> None:
    """The system as one archive, its owners as they are inside."""

    def inside(one: tarfile.TarInfo) -> tarfile.TarInfo:
        one.uid, one.gid = (number - FIRST_UID if number >= FIRST_UID else number for number in (one.uid, one.gid))
        one.uname = one.gname = ""
        return one

    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        seen = set[str]()  # no folder twice
        for layer in base_layers():
            for path in (layer, *sorted(layer.rglob("*"))):
                if (name := str(path.relative_to(layer))) not in seen:
                    seen.add(name)
                    archive.add(path, name, recursive=False, filter=inside)


# A daemon looks its uids up in the system's own lists: it sees others there, and nobody else does.
_WITH_UIDS = 'for list in /etc/subuid /etc/subgid; do mount --bind "$0" $list || exit 9; done; exec "$@"'


@contextmanager
def private_docker(root_is: int = 0) -> Iterator[str]:
    """The address of a daemon of our own (`DOCKER_HOST`), with `BASE_IMAGE` in it.

    `root_is` makes root inside its containers this uid outside (`--userns-remap`).
    """
    install()
    folder = Path(tempfile.mkdtemp(prefix="dayjob-dockerd-"))
    address = f"unix://{folder}/d.sock"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        kept = KEPT / str(root_is)
        # A remapped root may not come as far as that.
        lock = stack.enter_context(_lock(kept)) if not root_is or _is_open_to_all(KEPT) else None
        data = (kept if lock else folder) / "data"
        command = [_daemon(), "--data-root", str(data), "--exec-root", f"{folder}/exec", "-p",
                   f"{folder}/d.pid", "-H", address]  # fmt: skip
        if root_is:
            folder.chmod(0o711)  # the remapped root has to come through
            (folder / "uids").write_text(f"daemon:{root_is}:65536\n", "utf-8")
            command = ["unshare", "-m", "sh", "-c", _WITH_UIDS, f"{folder}/uids", *command, "--userns-remap=daemon"]
        daemon = _started(command, address, folder / "log", [lock.fileno()] if lock else [])
        stack.callback(daemon.wait, 30)
        stack.callback(daemon.terminate)
        _have_base(address, folder)
        yield address
        if lock:
            _empty(address)


@contextmanager
def _lock(kept: Path) -> Iterator[IO[str] | None]:
    """What a daemon holds, for as long as it lives, that has a kept folder; None while another has it."""
    kept.mkdir(parents=True, exist_ok=True)
    with open(kept / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
        else:
            yield lock


def _is_open_to_all(folder: Path) -> bool:
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in folder.parents if parent.exists())


def _started(command: Sequence[str], address: str, log: Path, held: Sequence[int]) -> subprocess.Popen[bytes]:
    # Two that start at the same moment get in each other's way: both set up the host's one table of addresses.
    with open(Path(tempfile.gettempdir(), "dayjob-dockerd.lock"), "w") as turn, open(log, "wb") as out:
        fcntl.flock(turn, fcntl.LOCK_EX)
        daemon = subprocess.Popen(command, stdout=out, stderr=out, pass_fds=held)
        try:
            _wait(daemon, address, log)
        except BaseException:
            daemon.kill()
            daemon.wait()
            raise
        return daemon


def _have_base(address: str, folder: Path) -> None:
    """The base image, and nothing that an earlier run has left."""
    _empty(address)
    made_of = _made_of()
    there = _said(address, "images", "-q", "--filter", f"label={_MADE_OF}={made_of}", BASE_IMAGE)
    if not there:
        _load(address, folder, made_of)


_MADE_OF = "dayjob.test-base"


def _made_of() -> str:
    """What the base image is made of, in a word."""
    certificates = CERTIFICATES.read_bytes() if CERTIFICATES.is_file() else b""
    facts = [*(layer.parent.name for layer in base_layers()), hashlib.sha256(certificates).hexdigest()]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:24]


def _empty(address: str) -> None:
    """Remove everything but the base image."""
    named = _said(address, "images", "--format", "{{.Repository}}:{{.Tag}}")
    for words, each in (
        (("rm", "-f", "-v"), _said(address, "ps", "-aq")),
        (("volume", "rm", "-f"), _said(address, "volume", "ls", "-q")),
        (("rmi", "-f"), [name for name in named if name not in (BASE_IMAGE, PLAIN_IMAGE) and "<none>" not in name]),
    ):
        if each:
            _said(address, *words, *each)
    _said(address, "image", "prune", "-f")


def _said(address: str, *words: str) -> list[str]:
    """What docker answers, line by line."""
    return subprocess.run(
        ["docker", "-H", address, *words], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()


def _load(address: str, folder: Path, made_of: str) -> None:
    """The base image, which trusts whom this machine trusts: builds reach package registries as the machine does."""
    docker = ["docker", "-H", address]
    importing = subprocess.Popen(
        [*docker, "import", "-", PLAIN_IMAGE], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    assert importing.stdin is not None
    with importing.stdin as out:
        _write_tar(out)
    assert importing.wait() == 0
    context = folder / "base"
    context.mkdir()
    lines = [f"FROM {PLAIN_IMAGE}", f"LABEL {_MADE_OF}={made_of}"]
    if CERTIFICATES.is_file():
        shutil.copy(CERTIFICATES, context)
        lines.append(f"COPY {CERTIFICATES.name} {CERTIFICATES}")
    (context / "Dockerfile").write_text("\n".join(lines), "utf-8")
    subprocess.run([*docker, "build", "-t", BASE_IMAGE, str(context)], check=True, capture_output=True)


def _daemon() -> str:
    found = shutil.which("dockerd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")
    assert found, "docker.io was installed, and there is no dockerd"
    return found


def _wait(daemon: subprocess.Popen[bytes], address: str, log: Path) -> None:
    for _ in range(2400):  # two minutes: a busy machine takes its time
        if subprocess.run(["docker", "-H", address, "version"], capture_output=True).returncode == 0:
            return
        assert daemon.poll() is None, log.read_text()[-2000:]
        time.sleep(0.05)
    raise AssertionError(f"dockerd did not start: {log.read_text()[-2000:]}")
