"""Runs a command in a virtual machine whose control groups are version 2 alone, and ends with its exit code.

    python -m tools.cgroup2_vm [--within SECONDS] [--accel tcg|kvm] [COMMAND…]

The machine is made of Debian's packages: a kernel, a small root made once by mmdebstrap and kept in dayjob's cache,
and this checkout with the Python packages it needs, read-only. It needs root, QEMU and mke2fs, but no KVM.
Without a command it runs `tools.cgroup2_guest`, which tries every limit.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dayjob.company.world.snapshot import default_cache

ROOT = Path(__file__).resolve().parents[1]
GUEST_PYTHON = (3, 11)  # Debian 12's
SUITE = "bookworm"
PACKAGES = (
    "linux-image-cloud-amd64", "initramfs-tools", "zstd", "kmod", "procps", "python3", "git", "curl",
    "bubblewrap", "ca-certificates",
)  # fmt: skip
PROGRAMS = {"qemu-system-x86_64": "qemu-system-x86", "mmdebstrap": "mmdebstrap", "mke2fs": "e2fsprogs"}
SHARED = ("src", "tests", "tools", "tasks", "worlds", "base_image", "pyproject.toml")

# What the kernel starts: the rest comes with the checkout, so that a change of it needs no new system.
FIRST = """#!/bin/sh
mount -o ro /dev/vdc /checkout
exec sh /checkout/init
"""

# The machine's first process. The second serial line carries what the command prints; the first what the kernel says,
# and the exit code.
INIT = """
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sys /sys
mountpoint -q /dev || mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t tmpfs -o mode=0755 run /run
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /dev/shm
mount -t tmpfs -o mode=1777 shm /dev/shm
modprobe -a overlay tcp_diag
mount -o ro /dev/vdb /packages
stty -F /dev/ttyS1 raw
cd /checkout
export PYTHONPATH=/checkout/src:/packages PYTHONDONTWRITEBYTECODE=1
python3 -c 'from dayjob.sandbox.kernel import loopback_up; loopback_up()'
setsid sh /checkout/command < /dev/null > /dev/ttyS1 2>&1
code=$?
printf '\\n%s %s\\n' "$(cat /checkout/mark)" $code > /dev/console
sync
echo b > /proc/sysrq-trigger
"""


class Impossible(Exception):
    """Why there can be no machine here, in a sentence."""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.cgroup2_vm", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--within", type=float, default=1800, metavar="SECONDS", help="stop the machine after this time"
    )
    parser.add_argument("--accel", choices=("tcg", "kvm"), default="tcg", help="tcg is software emulation")
    parser.add_argument("--memory", type=int, default=5120, metavar="MIB", help="the machine's memory")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="run in the checkout, as the machine's root")
    asked = parser.parse_args(arguments)
    command = [word for word in asked.command[:1] if word != "--"] + asked.command[1:]
    command = command or ["python3", "-m", "tools.cgroup2_guest"]
    try:
        _check()
        cache = default_cache() / "cgroup2-vm"
        system, packages = root_image(cache), packages_image(cache)
        with checkout_image(shlex.join(command)) as (checkout, mark):
            return boot([system, packages, checkout], mark, asked.accel, asked.memory, asked.within)
    except Impossible as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _check() -> None:
    if os.geteuid() != 0:
        raise Impossible("the machine's disk is made of files that belong to root; run this as root")
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
    if missing := [package for program, package in PROGRAMS.items() if not shutil.which(program, path=path)]:
        raise Impossible(f"{' '.join(missing)} is missing; apt-get install --no-install-recommends {' '.join(missing)}")
    if sys.version_info[:2] != GUEST_PYTHON:
        wanted = ".".join(map(str, GUEST_PYTHON))
        raise Impossible(f"the machine runs Python {wanted} and gets this Python's packages; use a venv of {wanted}")


# -- its disks -----------------------------------------------------------------------------------------------------


def root_image(cache: Path) -> Path:
    """The folder with the machine's disk, kernel and initial memory disk, made now if it is not there."""
    name = "root-" + hashlib.sha256(repr((SUITE, PACKAGES, FIRST)).encode()).hexdigest()[:16]
    return _made(cache / name, _make_root)


def _make_root(folder: Path) -> None:
    print("Making the virtual machine's system, once …", file=sys.stderr)
    tree = folder / "tree"
    said = subprocess.run(
        ["mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", SUITE, str(tree)],
        capture_output=True,
        text=True,
    )
    if said.returncode:
        raise Impossible(f"mmdebstrap could not make a Debian system: {said.stderr.strip()[-500:]}")
    init = tree / "sbin" / "dayjob-init"
    init.write_text(FIRST)
    init.chmod(0o755)
    for name in ("checkout", "packages"):
        (tree / name).mkdir()
    for path in (tree / "boot").iterdir():
        if path.name.startswith(("vmlinuz-", "initrd.img-")):
            shutil.copyfile(path, folder / path.name.partition("-")[0])
    _disk(tree, folder / "disk", spare=1 << 30)
    shutil.rmtree(tree)


def packages_image(cache: Path) -> Path:
    """A disk with the Python packages that the checkout and its tests import, as they are installed here."""
    found = list(needed_distributions())
    facts = repr(sorted((one.metadata["Name"], one.version) for one in found))
    name = "packages-" + hashlib.sha256(facts.encode()).hexdigest()[:16]
    return _made(cache / name, lambda folder: _make_packages(folder, found)) / "disk"


def needed_distributions() -> Iterator[importlib.metadata.Distribution]:
    """The project's dependencies and what its tests import, with what they need in turn and is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted, seen = [*project["project"]["dependencies"], "pytest", "hypothesis"], set[str]()
    while wanted:
        requirement, _, condition = wanted.pop().partition(";")
        matched = re.match(r"[\w.-]+", requirement)
        if matched is None or "extra" in condition or matched[0].lower() in seen:
            continue
        seen.add(matched[0].lower())
        try:
            one = importlib.metadata.distribution(matched[0])
        except importlib.metadata.PackageNotFoundError:
            continue  # for another system or another Python
        wanted += one.requires or ()
        yield one


def _make_packages(folder: Path, distributions: list[importlib.metadata.Distribution]) -> None:
    tree = folder / "tree"
    for one in distributions:
        for file in one.files or ():
            if ".." not in file.parts and "__pycache__" not in file.parts:
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), tree / file)
    # The disk is read-only there, and emulation is slow: compile now, for the paths they will have.
    subprocess.run(
        [sys.executable, "-m", "compileall", "-q", "-s", str(tree), "-p", "/packages", str(tree)],
        check=False,  # a package may carry a file for another Python
        stdout=subprocess.DEVNULL,
    )
    _disk(tree, folder / "disk", spare=8 << 20)
    shutil.rmtree(tree)


@contextmanager
def checkout_image(command: str) -> Iterator[tuple[Path, str]]:
    """A disk with this checkout and the command, and the mark that precedes the command's exit code."""
    mark = f"exit-{secrets.token_hex(8)}"
    with tempfile.TemporaryDirectory(prefix="dayjob-cgroup2-vm-") as place:
        tree = Path(place, "tree")
        tree.mkdir()
        for name in SHARED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, tree / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, tree / name)
        (tree / "init").write_text(INIT)
        (tree / "command").write_text(command + "\n")
        (tree / "mark").write_text(mark)
        subprocess.run(["chmod", "-R", "a+rX", str(tree)], check=True)
        compiled = [sys.executable, "-m", "compileall", "-q", "-s", str(tree), "-p", "/checkout", str(tree / "src")]
        subprocess.run(compiled, check=True, stdout=subprocess.DEVNULL)
        disk = Path(place, "disk")
        _disk(tree, disk, spare=8 << 20)
        yield disk, mark


def _made(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, filled under another name first if it is not there, so that it is whole or absent."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part = Path(tempfile.mkdtemp(prefix=f"{folder.name}.part-", dir=folder.parent))
        try:
            make(part)
            _rename(part, folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        for older in folder.parent.glob(f"{folder.name.partition('-')[0]}-*"):
            if older != folder and ".part-" not in older.name:
                shutil.rmtree(older, ignore_errors=True)  # a machine that runs keeps its open disk
    return folder


def _rename(part: Path, folder: Path) -> None:
    try:
        part.rename(folder)
    except OSError:
        if not folder.exists():
            raise
        # Somebody else was faster, and made the same.


def _disk(tree: Path, disk: Path, *, spare: int) -> None:
    """A file with an ext4 file system that holds the tree and this many bytes more."""
    size = sum(4096 * (1 + path.lstat().st_size // 4096) for path in tree.rglob("*"))
    with open(disk, "wb") as file:
        file.truncate(size + size // 5 + spare)
    program = shutil.which("mke2fs", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") or "mke2fs"
    subprocess.run([program, "-q", "-F", "-t", "ext4", "-m", "0", "-d", str(tree), str(disk)], check=True)


# -- running -------------------------------------------------------------------------------------------------------


def boot(disks: list[Path], mark: str, accel: str, memory: int, within: float) -> int:
    """Start the machine, print what its command prints, and return its exit code. Nothing on the disks changes."""
    system = disks[0]
    with tempfile.NamedTemporaryFile("r", prefix="dayjob-console-", errors="replace") as console:
        arguments = [
            "qemu-system-x86_64", "-accel", accel, "-cpu", "max", "-smp", "2", "-m", str(memory),
            "-nographic", "-nodefaults", "-no-reboot", "-nic", "none",
            "-kernel", str(system / "vmlinuz"), "-initrd", str(system / "initrd.img"),
            "-append", "root=/dev/vda rw console=ttyS0 quiet panic=-1 init=/sbin/dayjob-init",
            "-serial", f"file:{console.name}", "-serial", "stdio",
        ]  # fmt: skip
        for disk in (system / "disk", *disks[1:]):
            arguments += ["-drive", f"file={disk},format=raw,if=virtio,snapshot=on"]
        try:
            subprocess.run(arguments, stdin=subprocess.DEVNULL, timeout=within)
        except subprocess.TimeoutExpired:
            raise Impossible(f"the command did not end within {within:g} s; give it longer with --within") from None
        said = console.read()
    if ended := re.search(rf"^{mark} (\d+)\s*$", said, re.MULTILINE):
        return int(ended[1])
    last = "\n".join(said.splitlines()[-15:])
    raise Impossible(f"the machine ended before the command did; its console says:\n{last}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
