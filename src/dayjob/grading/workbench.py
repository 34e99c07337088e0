"""A workbench: another sandbox, where a grader has what the examinee wrote run, and gets back bytes.

It is made by the host from the task's image and the frozen files, without anything that only graders may see, without
services and without a way to the grader's room, and thrown away when it is closed. What the grader wants there is
brought explicitly (`bring`), and so is what it wants back (`collect`). Standard library only: `git` uses it too.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

PORT = "DAYJOB_WORKBENCH_PORT"
TOKEN = "DAYJOB_WORKBENCH_TOKEN"
FROZEN = "DAYJOB_FROZEN"
"""The folders of the examinee's, as a path list: a workbench has them too, as they were when the work ended."""
INSTALLED = "DAYJOB_INSTALLED"
"""The names of programs that the examinee installed, as a path list."""
BEGAN = "DAYJOB_GRADING_BEGAN"
"""When grading began, in nanoseconds: what changed later, the grader itself wrote."""

_CHUNK = 1 << 16
_LENGTH = struct.Struct(">I")
_LONGEST_MESSAGE = 16 << 20
_IN_MEMORY = 4 << 20
_PAUSE = 0.05  # seconds between two tries to reach a server that is starting


class NotIsolated(Exception):
    """The examinee's code was not run, because it could not be kept away from the grader: a fault, never a zero."""

    source = "sandbox"


class Refused(Exception):
    """What was asked cannot be done in this workbench, because of what was run or brought there."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `archive` is a tar of what was asked for, its names paths from the root."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    dropped: int
    """Bytes of output beyond what is kept; they are missing in the middle."""
    left_out: list[str]
    archive: IO[bytes]


class Result(subprocess.CompletedProcess[str]):
    """A command's end as `subprocess` gives it, and the files that were asked for, by path.

    `left_out` are those that were not there, were no files, or were too large.
    """

    files: dict[str, bytes]
    left_out: list[str]


class Workbench:
    """One workbench. Use as `with workbench() as bench`; its files and servers stay until the block ends."""

    def __init__(self, *, ports: bool = True, installed: bool | None = None) -> None:
        self._sock = _dial()
        self._doors: list[socket.socket] = []
        self._refusal: Refused | None = None
        try:
            self._name = _ask(self._sock, {**_token(), "ports": ports, "installed": installed})["bench"]
        except Refused as refusal:
            # The examinee left a system in which nothing can be run: every command fails, and none is a fault.
            self._refusal = refusal

    def __enter__(self) -> Workbench:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End everything in it."""
        for door in self._doors:
            door.shutdown(socket.SHUT_RDWR)  # whoever waits there lets nobody in any more
            door.close()
        self._doors.clear()
        self._sock.close()

    def bring(self, *paths: str | os.PathLike[str]) -> None:
        """Copy files and folders of the grader's room to the same paths, in place of what is there."""
        self._send([os.path.abspath(path) for path in paths], replace=True)

    def run(
        self,
        cmd: Sequence[str] | str,
        *,
        cwd: str | os.PathLike[str] = "/workspace",
        env: Mapping[str, str] | None = None,
        stdin: str | bytes = "",
        timeout: float = 60,
        bring: Iterable[str | os.PathLike[str]] = (),
        collect: Iterable[str | os.PathLike[str]] = (),
    ) -> Result:
        """Run a command (a string goes through `sh -c`) to its end; see `run_as_examinee`."""
        argv = _argv(cmd)
        wanted = [os.path.join(os.fspath(cwd), path) for path in collect]
        try:
            self._prepare(argv, os.fspath(cwd), env or {}, bring)
            ended = self.execute(argv, os.fspath(cwd), env or {}, _bytes(stdin), timeout, wanted)
        except Refused as refusal:
            done = Result(argv, 126, "", f"workbench: {refusal}\n")
            done.files, done.left_out = {}, wanted
            return done
        stdout, stderr = (text.decode("utf-8", "replace") for text in (ended.stdout, ended.stderr))
        if ended.timed_out:
            raise subprocess.TimeoutExpired(argv, timeout, stdout, stderr)
        done = Result(argv, ended.code, stdout, stderr)
        done.files, done.left_out = _files(ended.archive), ended.left_out
        done.left_out += [path for path in wanted if not _has(done.files, path) and path not in done.left_out]
        return done

    def files(self, *paths: str | os.PathLike[str]) -> dict[str, bytes]:
        """The files at or below these paths of the workbench, by path; nothing is run for it."""
        try:
            ended = self._asked({"do": "collect", "collect": [os.path.join("/workspace", path) for path in paths]})
        except Refused:
            return {}
        return _files(ended.archive)

    def start(
        self,
        cmd: Sequence[str] | str,
        *,
        cwd: str | os.PathLike[str] = "/workspace",
        env: Mapping[str, str] | None = None,
        bring: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        """Start a command and leave it running, a server for example; `url` waits for it."""
        argv = _argv(cmd)
        self._prepare(argv, os.fspath(cwd), env or {}, bring)
        _ask(self._line, {"do": "start", "argv": argv, "cwd": os.fspath(cwd), "env": dict(env or {})})

    def connect(self, port: int) -> socket.socket:
        """A connection to a port in the workbench; `ConnectionRefusedError` when nothing listens there."""
        if self._refusal is not None:
            raise ConnectionRefusedError(str(self._refusal))
        sock = _dial()
        try:
            _ask(sock, {**_token(), "bench": self._name, "port": port})
        except Refused as refusal:
            sock.close()
            raise ConnectionRefusedError(str(refusal)) from None
        except BaseException:
            sock.close()
            raise
        return sock

    def url(self, port: int, *, within: float = 30) -> str:
        """An address in the grader's room that leads to a port in the workbench, once something listens there.

        `TimeoutError` when nothing does within these seconds.
        """
        ends = time.monotonic() + within
        while True:
            try:
                self.connect(port).close()
                break
            except ConnectionRefusedError:
                if time.monotonic() > ends:
                    raise TimeoutError(f"nothing listens on port {port} of the workbench") from None
                time.sleep(_PAUSE)
        door = socket.create_server(("127.0.0.1", 0))
        door.settimeout(None)
        self._doors.append(door)
        threading.Thread(target=self._let_in, args=(door, port), daemon=True).start()
        return f"http://127.0.0.1:{door.getsockname()[1]}"

    # -- plain bytes, for programs --------------------------------------------------------------------------------

    def execute(
        self,
        argv: Sequence[str],
        cwd: str,
        env: Mapping[str, str],
        stdin: bytes = b"",
        timeout: float = 60,
        collect: Sequence[str] = (),
        *,
        most_output: int = 4 << 20,
    ) -> Ended:
        """Run a command where everything it needs is in place."""
        asked = {"do": "run", "argv": list(argv), "cwd": cwd, "env": dict(env), "timeout": timeout, "collect": collect}
        return self._asked({**asked, "size": len(stdin), "most_output": most_output}, stdin)

    def _asked(self, message: Mapping[str, Any], more: bytes = b"") -> Ended:
        """What came of a message that is answered with how something ended, and an archive."""
        _say(self._line, message)
        self._line.sendall(more)
        answer = _hear(self._line)
        stdout, stderr = _take(self._line, answer["stdout"]), _take(self._line, answer["stderr"])
        archive = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115  # whoever asked closes it
        for part in _parts(self._line, answer["archive"]):
            archive.write(part)
        archive.seek(0)
        facts = (answer["timed_out"], answer["dropped"], answer["left_out"])
        return Ended(answer["exit"], stdout, stderr, *facts, archive)

    def bring_own(self, paths: Iterable[str]) -> None:
        """Bring what the grader has of its own at or below these paths: see `_own`."""
        wholly, added = list[str](), list[str]()
        for path in filter(os.path.lexists, dict.fromkeys(paths)):
            if _is_below(path, [_scratch()]):
                wholly.append(path)
            elif _is_below(path, _frozen()):
                added += _own(path)
        if wholly:
            self._send(wholly, replace=True)
        if added:
            self._send(added, replace=False)

    def _prepare(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str], bring: Iterable[str | os.PathLike[str]]
    ) -> None:
        """Bring what a command needs: its folder, what it names, and what was asked for."""
        words = [part for word in (*argv, *env.values()) for part in (word, word.partition("=")[2])]
        named = [word for word in words if word.startswith("/") and "\0" not in word and os.path.lexists(word)]
        self.bring_own([_with_its_neighbours(cwd), *named])
        if asked := list(bring):
            self.bring(*asked)

    def _send(self, paths: Sequence[str], *, replace: bool) -> None:
        with tempfile.TemporaryFile() as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                for path in paths:
                    tar.add(path, arcname=path.lstrip("/"), recursive=replace, filter=_plain)
            size = file.tell()
            file.seek(0)
            _say(self._line, {"do": "bring", "replace": list(paths) if replace else [], "size": size})
            while part := file.read(_CHUNK):
                self._line.sendall(part)
        _hear(self._line)

    @property
    def _line(self) -> socket.socket:
        if self._refusal is not None:
            raise self._refusal
        return self._sock

    def _let_in(self, door: socket.socket, port: int) -> None:
        while True:
            try:
                near, _ = door.accept()
            except OSError:
                return  # the workbench was closed
            try:
                far = self.connect(port)
            except (OSError, NotIsolated):
                near.close()
                continue
            for source, target in ((near, far), (far, near)):
                source.settimeout(None)
                threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def workbench(*, installed: bool | None = None) -> Workbench:
    """A workbench to use for several commands, or for a server: `with workbench() as bench`.

    `installed` as in `run_as_examinee`.
    """
    return Workbench(installed=installed)


def is_there() -> bool:
    """Whether this grading has workbenches: in a trial it has, and where eval.py is run by hand it has not."""
    return bool(os.environ.get(PORT))


# -- what is brought ----------------------------------------------------------------------------------------------


def _scratch() -> str:
    return os.path.realpath(tempfile.gettempdir())


def _frozen() -> list[str]:
    return [path for path in os.environ.get(FROZEN, "").split(":") if path]


def _is_below(path: str, folders: Iterable[str]) -> bool:
    path = os.path.abspath(path)
    return any(path.startswith(f"{folder}/") or (path == folder and folder != _scratch()) for folder in folders)


def _with_its_neighbours(path: str) -> str:
    """The temporary folder that a path lies in: graders put what a command reads beside what it runs."""
    scratch, path = _scratch(), os.path.abspath(path)
    if not _is_below(path, [scratch]):
        return path
    return os.path.join(scratch, os.path.relpath(path, scratch).split("/")[0])


def _own(path: str) -> list[str]:
    """What the grader itself wrote at or below a path of the examinee's: all that changed since grading began."""
    # A file's time, not the clock's: where the clock goes by steps the times of all files move along with it.
    began = os.lstat(os.environ[BEGAN]).st_ctime_ns if BEGAN in os.environ else 0
    found = []

    def look(entry: str) -> None:
        try:
            info = os.lstat(entry)
        except OSError:
            return
        if info.st_ctime_ns >= began:
            found.append(entry)
        if os.path.isdir(entry) and not os.path.islink(entry):
            for name in os.listdir(entry):
                look(f"{entry}/{name}")

    look(os.path.abspath(path))
    return found


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    if entry.islnk():  # a second name of a file that is here already: to a workbench, another file
        entry.type, entry.size = tarfile.REGTYPE, os.lstat(f"/{entry.name}").st_size
    return entry if entry.isreg() or entry.isdir() or entry.issym() else None


def _argv(cmd: Sequence[str] | str) -> list[str]:
    argv = ["/bin/sh", "-c", cmd] if isinstance(cmd, str) else [os.fspath(word) for word in cmd]
    if not argv or any("\0" in word for word in argv):
        raise ValueError("a command is a list of words without null characters")
    return argv


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _files(archive: IO[bytes]) -> dict[str, bytes]:
    found = {}
    with archive, tarfile.open(fileobj=archive, mode="r:") as tar:
        for entry in tar:
            content = tar.extractfile(entry) if entry.isreg() else None
            if content is not None:
                found[f"/{entry.name}"] = content.read()
    return found


def _has(files: Mapping[str, bytes], path: str) -> bool:
    path = os.path.normpath(path)
    return path in files or any(name.startswith(f"{path}/") for name in files)


# -- the wire: a length, a message as JSON, and as many bytes as it says -------------------------------------------


def _dial() -> socket.socket:
    port = os.environ.get(PORT)
    if not port:
        raise _fault("there is no workbench here: the examinee's code is only run in a trial (dayjob run)")
    try:
        sock = socket.create_connection(("127.0.0.1", int(port)))
    except OSError as error:
        raise _fault(f"the workbench cannot be reached: {error}") from error
    sock.settimeout(None)
    return sock


def _fault(sentence: str) -> NotIsolated:
    """Remembered at once, where faults are: an evaluator may catch what is raised, and a zero it must not be."""
    if (faults := sys.modules.get("dayjob.grading.faults")) is not None:
        faults.record_fault(NotIsolated.source, sentence)
    return NotIsolated(sentence)


def _token() -> dict[str, str]:
    return {"token": os.environ.get(TOKEN, "")}


def _say(sock: socket.socket, message: Mapping[str, Any]) -> None:
    text = json.dumps(message).encode()
    if len(text) > _LONGEST_MESSAGE:
        raise Refused("the command and its variables are too long")
    try:
        sock.sendall(_LENGTH.pack(len(text)) + text)
    except OSError as error:
        raise _fault(f"the workbench is gone: {error}") from error


def _hear(sock: socket.socket) -> dict[str, Any]:
    (length,) = _LENGTH.unpack(_take(sock, _LENGTH.size))
    answer: dict[str, Any] = json.loads(_take(sock, length))
    if "fault" in answer:
        raise _fault(answer["fault"])
    if "refused" in answer:
        raise Refused(answer["refused"])
    return answer


def _ask(sock: socket.socket, message: Mapping[str, Any]) -> dict[str, Any]:
    _say(sock, message)
    return _hear(sock)


def _take(sock: socket.socket, size: int) -> bytes:
    return b"".join(_parts(sock, size))


def _parts(sock: socket.socket, size: int) -> Iterator[bytes]:
    while size:
        try:
            part = sock.recv(min(size, _CHUNK))
        except OSError as error:
            raise _fault(f"the workbench is gone: {error}") from error
        if not part:
            raise _fault("the workbench is gone")
        size -= len(part)
        yield part


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        # One side is gone, so the other has nobody to talk to.
        for sock in (source, target):
            sock.close()
