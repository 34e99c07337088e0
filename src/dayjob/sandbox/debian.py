"""A Debian made from its packages, which every room stands on: why it cannot be made here, and the making.

mmdebstrap makes it in its place, so nothing lies about twice. What belongs to the machine that made it,
its name, its resolver, its authorities, is not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from dayjob.sandbox import clock
from dayjob.sandbox.sandbox import SandboxError
from dayjob.task.base_packages import PACKAGES, RELEASE, SUITE, WHEELS

Say = Callable[[str], None]

_VERSION = 3
# Texts in other languages, manuals without a program to read them, and documents about packages: a fifth of the whole.
_LEFT_OUT = ("/usr/share/locale/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/doc/*")
_KEPT = ("/usr/share/doc/*/copyright",)
_STEPS = {
    "downloading packages": "downloading the system",
    "installing essential": "installing the system",
    "installing remaining": "downloading and installing programs",
    "cleaning": "putting it away",
}
_AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
_RANGES = {"--add-subuids": "/etc/subuid", "--add-subgids": "/etc/subgid"}
_ENDS_WITH_US = ("setpriv", "--pdeathsig", "KILL")
_NEEDED = 1200 << 20  # with what lies beside it while it is made
_SOURCE = "usr/src/company-clock"

# Set while systems and images are made, Python notes what its compiled files were compiled from by content, not by
# date: a room's dates are another clock's. The value, Debian's release, is for those who take it as a date.
BY_CONTENT = {"SOURCE_DATE_EPOCH": "1754697600"}


def key() -> str:
    """What the making of the system depends on, in a name."""
    facts = json.dumps((_VERSION, SUITE, PACKAGES, _LEFT_OUT, _KEPT, BY_CONTENT, clock.digest()))
    return hashlib.sha256(facts.encode()).hexdigest()[:16]


def obstacle() -> str | None:
    """Why this user cannot make a Debian here, as far as that can be known without trying, or None."""
    if shutil.which("mmdebstrap") is None:
        return "mmdebstrap is not installed; install it with: apt-get install mmdebstrap"
    if os.geteuid() == 0:
        return None
    if shutil.which("newuidmap") is None:
        return "newuidmap is not installed, which an ordinary user needs; install it with: apt-get install uidmap"
    user = _user()
    for option, file in _RANGES.items():
        if not _has_range(file, user):
            return f"{file} gives {user} no ids; as root: usermod {option} 100000-165535 {user}"
    return None


def _user() -> str:
    """This user's name, or its number where it has none."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())


def _has_range(file: str, user: str) -> bool:
    try:
        lines = Path(file).read_text("utf-8").splitlines()
    except OSError:
        return False
    return any(line.partition(":")[0] in (user, str(os.geteuid())) for line in lines)


def make(folder: Path, say: Say) -> None:
    """Fill an empty folder with the system. As root owners are kept; otherwise everything is this user's."""
    free = shutil.disk_usage(folder).free
    if free < _NEEDED:
        raise SandboxError(
            f"{RELEASE} needs {_NEEDED >> 20:,} MB in {folder.parent.parent}, where {free >> 20:,} are free"
        )
    if os.geteuid() == 0:
        # In namespaces that end with us, whatever it was doing and has mounted.
        around = [*_ENDS_WITH_US, "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        maker = _start([*around, *_command("root", "directory", str(folder))])
        said = _listen(maker, say)
        _judge(maker, said)
        for path in (folder / "dev").iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    else:
        _make_unshared(folder, say)
    _forget_this_machine(folder)
    _add_clock(folder)


def _add_clock(folder: Path) -> None:
    """Build the library with the company's time by the system's own compiler, and have every program load it."""
    source = folder / _SOURCE
    source.mkdir(parents=True)
    try:
        for path in clock.sources():
            shutil.copyfile(path, source / path.name)
        around = [] if os.geteuid() == 0 else ["unshare", "--map-root-user"]
        done = subprocess.run(
            [*around, "chroot", str(folder), *clock.command(f"/{_SOURCE}")],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        )  # fmt: skip
    finally:
        shutil.rmtree(source)
    if done.returncode:
        raise SandboxError(f"the company's clock could not be built: {(done.stderr.splitlines() or ['no word'])[-1]}")
    (folder / clock.PRELOAD[1:]).write_text(f"{clock.LIBRARY}\n", "utf-8")


def _make_unshared(folder: Path, say: Say) -> None:
    """Without root it arrives as a tar, whose owners are nobody here."""
    maker = _start([*_ENDS_WITH_US, *_command("unshare", "tar", "-")], subprocess.PIPE)
    with tempfile.TemporaryFile() as log:
        unpack = subprocess.Popen(
            ["tar", "-x", "-p", "--no-same-owner", "--exclude=./dev/*", "-C", str(folder)],
            stdin=maker.stdout, stdout=subprocess.DEVNULL, stderr=log,
        )  # fmt: skip
        assert maker.stdout is not None
        maker.stdout.close()
        said = _listen(maker, say)
        if unpack.wait():
            log.seek(0)
            said = f"E: {log.read().decode('utf-8', 'replace').strip()}"
        _judge(maker if maker.returncode else unpack, said)


def _command(mode: str, format: str, target: str) -> list[str]:
    return [
        "mmdebstrap", f"--mode={mode}", "--variant=minbase", f"--format={format}",
        "--aptopt=APT::Install-Recommends false",
        *(f"--dpkgopt=path-exclude={one}" for one in _LEFT_OUT), *(f"--dpkgopt=path-include={one}" for one in _KEPT),
        f"--include={','.join(PACKAGES)}", SUITE, target,
    ]  # fmt: skip


def _start(command: list[str], out: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
    env = {name: value for name, value in os.environ.items() if name != "TMPDIR"} | {"LC_ALL": "C.UTF-8"} | BY_CONTENT
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, env=env)


def _judge(process: subprocess.Popen[bytes], said: str) -> None:
    if process.returncode:
        raise SandboxError(f"{RELEASE} could not be made: {_why(said)}")


def _listen(maker: subprocess.Popen[bytes], say: Say) -> str:
    """Wait until it has ended; returns the end of what it said."""
    assert maker.stderr is not None
    said = deque[str](maxlen=200)
    for raw in maker.stderr:
        line = raw.decode("utf-8", "replace").strip()
        said.append(line)
        for start, words in _STEPS.items():
            if line.removeprefix("I: ").startswith(start):
                say(words)
    maker.wait()
    return "\n".join(said)


def _why(said: str) -> str:
    """The line that says most: what failed first, in apt's words."""
    lines = [line for line in said.splitlines() if line.startswith(("E: ", "Err:")) and "setup failed" not in line]
    return lines[0].removeprefix("E: ") if lines else (said.splitlines() or ["mmdebstrap said nothing"])[-1]


def _forget_this_machine(folder: Path) -> None:
    for name in ("etc/hostname", "etc/resolv.conf", "etc/machine-id"):
        (folder / name).unlink(missing_ok=True)
    (folder / "etc/resolv.conf").write_text("", "utf-8")
    (folder / "etc/hosts").write_text("127.0.0.1 localhost\n", "utf-8")
    for name in ("passwd", "group"):
        with open(folder / "etc" / name, "a", encoding="utf-8") as file:
            file.write(
                "grader:x:60000:60000:grader:/tmp:/usr/sbin/nologin\n" if name == "passwd" else "grader:x:60000:\n"
            )
    shutil.rmtree(folder / "var/log", ignore_errors=True)
    (folder / "var/log").mkdir(mode=0o755)


def authorities() -> dict[str, str]:
    """Whom this machine trusts, as a file for a room with a way out: a company's proxy may be its own authority."""
    return {_AUTHORITIES: Path(_AUTHORITIES).read_text("utf-8")} if os.path.isfile(_AUTHORITIES) else {}


def wheel_lines() -> str:
    """What comes from PyPI, as pip reads requirements."""
    return "".join(
        f"{name} {' '.join(f'--hash=sha256:{digest}' for digest in digests)}\n" for name, digests in WHEELS.items()
    )


def add_wheels(packages: Path, python: Sequence[str]) -> None:
    """Put what comes from PyPI among the Python packages of a system, whose Python this is."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        wanted.write(wheel_lines())
        wanted.flush()
        done = subprocess.run(
            [*python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--only-binary=:all:",
             "--no-cache-dir", "--disable-pip-version-check", "--require-hashes", "--target", str(packages),
             "--requirement", wanted.name],
            capture_output=True, text=True,
        )  # fmt: skip
    if done.returncode:
        told = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or ["pip said nothing"]
        raise SandboxError(f"packages of Python could not be installed: {told[-1].removeprefix('ERROR: ')}")
    _without_programs(packages)


def _without_programs(packages: Path) -> None:
    """Take out what the packages have as programs: their first line names the Python where it lies on this machine."""
    shutil.rmtree(packages / "bin", ignore_errors=True)
    for record in packages.glob("*.dist-info/RECORD"):
        lines = record.read_text("utf-8").splitlines(keepends=True)
        record.write_text("".join(line for line in lines if not re.match(r"(\.\./)*bin/", line)), "utf-8")


def fingerprint(status: str) -> str:
    """What a system holds, in a name: its packages and their versions, from what dpkg knows."""
    found = re.findall(r"^Package: (.+)\n(?:.+\n)*?Version: (.+)$", status, re.MULTILINE)
    return hashlib.sha256("\n".join(sorted(f"{name} {version}" for name, version in found)).encode()).hexdigest()[:12]


def program(folder: Path, name: str) -> list[str]:
    """The words that start a program of a made system where it lies, with its own libraries."""
    (loader,) = folder.glob("usr/lib*/ld-linux*.so.?")
    (libraries,) = {path.parent for path in folder.glob("usr/lib/*/libc.so.6")}
    return [str(loader), "--library-path", str(libraries), str(folder / name)]
