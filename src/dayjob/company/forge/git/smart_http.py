"""Clone, fetch and push over HTTP: git's own `http-backend` behind our accounts, a push's effects before its answer.

The body of a push is looked at only as far as its list of refs, to refuse what the rules forbid; the pack streams
through. Whether a protected branch would be rewritten is asked by a hook inside git's quarantine, when the objects are
known and nothing is visible yet.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import fcntl
import json
import os
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from dayjob.company.forge import pushes
from dayjob.company.forge.git.repositories import ZERO, git_environment, ref_sha
from dayjob.company.forge.store import access, namespaces, projects, users
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.namespaces import Namespace
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.protection import may_push, protects_history
from dayjob.company.forge.store.users import User
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.forge import Forge

_PLACE = re.compile(r"/(?P<repo>[^?]+?)(?:\.git)?/(?P<service>info/refs|git-upload-pack|git-receive-pack)$")
_LFS = re.compile(r"/(?P<repo>[^?]+?)(?:\.git)?/(?P<service>info/lfs/.*|gitlab-lfs/.*)$")
_DUMB = re.compile(r"/(?P<repo>[^?]+?)\.git/(?P<service>HEAD|objects/.*)$")
COMMANDS_LIMIT = 4 * 1024 * 1024
PIPE = 1024 * 1024
NOT_THERE = "The project you were looking for could not be found or you don't have permission to view it."
HOOK = """#!/bin/sh
# Asked by git before any ref moves: may the branches in DAYJOB_KEEP_HISTORY go where this push takes them?
while read -r old new ref; do
    case " $DAYJOB_KEEP_HISTORY " in
    *" $ref "*)
        if ! git merge-base --is-ancestor "$old" "$new" 2>/dev/null; then
            echo "GitLab: You are not allowed to force push code to a protected branch on this project."
            exit 1
        fi ;;
    esac
done
"""


@dataclass(frozen=True, slots=True)
class Place:
    """Which repository and which of git's endpoints a path means."""

    repo: str
    service: str


def git_path(path: str) -> Place | None:
    for pattern in (_PLACE, _LFS, _DUMB):
        found = pattern.match(path)
        if found:
            return Place(found["repo"], found["service"])
    return None


@dataclass(slots=True)
class Target:
    """The repository a request is about."""

    name: str
    project: Project | None
    group: Namespace | None

    @property
    def wiki(self) -> bool:
        return self.name.endswith(".wiki")


@dataclass(frozen=True, slots=True)
class Denied(Exception):
    """No, with a status and a sentence git shows to its user."""

    status: int
    reason: str


@dataclass(frozen=True, slots=True)
class Command:
    """One line of a push: a ref and where it goes from and to."""

    ref: str
    old: str
    new: str


async def serve_git(forge: Forge, place: Place, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request of the smart HTTP protocol."""
    headers = Headers(scope=scope)
    if "lfs" in place.service:
        body = {"message": "Git LFS is not enabled on this GitLab server, contact your admin."}
        await _answer(send, 501, json.dumps(body).encode(), "application/vnd.git-lfs+json")
        return
    query = scope["query_string"].decode("latin-1")
    pushing = place.service == "git-receive-pack" or "service=git-receive-pack" in query
    try:
        if place.service not in ("info/refs", "git-upload-pack", "git-receive-pack"):
            raise Denied(403, "Dumb HTTP is not supported: use a git that speaks the smart protocol.")
        if place.service == "info/refs" and "service=git-" not in query:
            raise Denied(403, "Dumb HTTP is not supported: use a git that speaks the smart protocol.")
        user, level = _credentials(forge.store, headers, pushing)
        target = _target(forge.store, place.repo, user, level, pushing)
    except Denied as denied:
        await _refuse(send, denied)
        return
    if place.service == "git-receive-pack":
        await _receive_pack(forge, target, user, scope, receive, send)
    else:
        await _stream(forge, target, place.service, scope, receive, send)


# -- who and what ------------------------------------------------------------------------------------------------


def _credentials(store: Store, headers: Headers, pushing: bool) -> tuple[User | None, tuple[str, int] | None]:
    """The account behind the Authorization header, or a deploy token's (kind, source)."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    if not kind:
        token = headers.get("private-token")
        if token is None:
            return None, None
        name, secret = "", token
    elif kind.lower() == "basic":
        try:
            name, _, secret = base64.b64decode(value).decode("utf-8").partition(":")
        except (binascii.Error, UnicodeDecodeError):
            raise Denied(401, "HTTP Basic: Access denied.") from None
    elif kind.lower() == "bearer":
        name, secret = "", value.strip()
    else:
        raise Denied(401, "HTTP Basic: Access denied.")
    found = users.by_token(store, secret) if secret else None
    if found is not None:
        scopes = set(json.loads(found.scopes))
        if not scopes & ({"api", "write_repository"} if pushing else {"api", "write_repository", "read_repository"}):
            raise Denied(403, "The token has no scope for this: it needs read_repository or write_repository.")
        if found.user_id is None:
            if name != found.username:
                raise Denied(401, "HTTP Basic: Access denied.")
            identify(found.username)
            return None, (found.kind, found.source_id or 0)
        user = store.one(User, "id=? AND state='active'", found.user_id)
    else:
        user = users.by_password(store, name, secret)
    if user is None:
        raise Denied(
            401,
            "HTTP Basic: Access denied. The provided password or token is incorrect or your account has 2FA "
            "enabled and "
            "you must use a personal access token instead of a password.",
        )
    identify(user.username)
    return user, None


def _target(store: Store, name: str, user: User | None, deploy: tuple[str, int] | None, pushing: bool) -> Target:
    project = projects.find(store, name) if not name.isdigit() else None
    wiki = False
    if project is None and name.endswith(".wiki"):
        wiki = True
        project = projects.find(store, name.removesuffix(".wiki"))
    anybody = user is not None or deploy is not None
    if project is None:
        group = namespaces.find(store, name.removesuffix(".wiki"), "group") if wiki else None
        if group is None or not access.can_see_group(store, user, group):
            raise Denied(404 if anybody else 401, NOT_THERE if anybody else "HTTP Basic: Access denied.")
        if pushing and access.group_level(store, user, group) < access.DEVELOPER:
            raise Denied(403 if anybody else 401, "You are not allowed to write to this wiki.")
        return Target(f"group-{group.id}.wiki", None, group)
    if deploy is not None:
        allowed = deploy == ("deploy_project", project.id) or (
            deploy[0] == "deploy_group" and deploy[1] in namespaces.ancestors(store, project.namespace_id)
        )
        if not allowed:
            raise Denied(404, NOT_THERE)
    elif not access.can_see_project(store, user, project):
        raise Denied(404 if anybody else 401, NOT_THERE if anybody else "HTTP Basic: Access denied.")
    level = access.project_level(store, user, project)
    if deploy is None and project.visibility == 0 and level < access.REPORTER and not wiki:
        raise Denied(403, "You are not allowed to download code from this project.")
    if pushing:
        if user is None and deploy is None:
            raise Denied(401, "HTTP Basic: Access denied.")
        if project.archived:
            raise Denied(403, "You can't push code to an archived project.")
        if deploy is None and level < access.DEVELOPER:
            raise Denied(403, "You are not allowed to push code to this project.")
        if deploy is not None:
            raise Denied(403, "This deploy token does not have write access to this project.")
    return Target(f"{project.id}.wiki" if wiki else str(project.id), project, None)


# -- answers -----------------------------------------------------------------------------------------------------


async def _answer(
    send: Send, status: int, body: bytes, kind: str, more: list[tuple[bytes, bytes]] | None = None
) -> None:
    head = [(b"content-type", kind.encode()), (b"content-length", str(len(body)).encode()), *(more or [])]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


async def _refuse(send: Send, denied: Denied) -> None:
    more = [(b"www-authenticate", b'Basic realm="GitLab"')] if denied.status == 401 else []
    await _answer(send, denied.status, denied.reason.encode(), "text/plain; charset=utf-8", more)


# -- the process -------------------------------------------------------------------------------------------------


class _Backend:
    """A running `git http-backend`: its input a stream, its output a wide pipe read in large pieces."""

    def __init__(self, process: asyncio.subprocess.Process, output: int) -> None:
        self.process = process
        self._output = output
        self._ahead = b""

    async def read(self) -> bytes:
        """What git has written since; nothing when it is done."""
        if self._ahead:
            found, self._ahead = self._ahead, b""
            return found
        loop = asyncio.get_running_loop()
        while True:
            try:
                return os.read(self._output, PIPE)
            except BlockingIOError:
                readable = loop.create_future()
                loop.add_reader(self._output, _wake, readable)
                try:
                    await readable
                finally:
                    loop.remove_reader(self._output)

    async def read_all(self) -> bytes:
        parts = []
        while part := await self.read():
            parts.append(part)
        return b"".join(parts)

    async def head(self) -> tuple[int, list[tuple[bytes, bytes]]]:
        """The CGI header that git's backend writes first."""
        raw = b""
        while b"\r\n\r\n" not in raw and (part := await self.read()):
            raw += part
        lines, _, self._ahead = raw.partition(b"\r\n\r\n")
        status, headers = (200 if lines else 500), []
        for line in lines.split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if name.lower() == b"status":
                status = int(value.split()[0])
            elif colon:
                headers.append((name.lower(), value.strip()))
        return status, headers

    async def end(self, feeding: asyncio.Task[None]) -> None:
        """Wait until the process is gone; one that still has something to say has lost its listener."""
        os.close(self._output)
        await feeding
        await self.process.wait()


def _wake(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)


async def _start(forge: Forge, target: Target, service: str, scope: Scope, more: dict[str, str]) -> _Backend:
    folder = await asyncio.to_thread(forge.repositories.folder, target.name)
    headers = Headers(scope=scope)
    environment = {
        **git_environment(),
        "GIT_PROJECT_ROOT": str(folder.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{folder.name}/{service}",
        "REQUEST_METHOD": scope["method"],
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "CONTENT_TYPE": headers.get("content-type", ""),
        "REMOTE_USER": "forge",
        "REMOTE_ADDR": "127.0.0.1",
        **more,
    }
    if "git-protocol" in headers:
        environment["GIT_PROTOCOL"] = headers["git-protocol"][:200]
    ours, theirs = os.pipe()
    try:
        _widen(ours)
        os.set_blocking(ours, False)
        process = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            stdin=asyncio.subprocess.PIPE,
            stdout=theirs,
            stderr=asyncio.subprocess.DEVNULL,
            env=environment,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return _Backend(process, ours)


def _widen(pipe: int) -> None:
    """Room for git to run ahead; where the system allows no more, the usual size works too."""
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE)


async def _body(receive: Receive) -> AsyncIterator[bytes]:
    """The request's body; stops early when the client went away."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionResetError
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


async def _feed(process: asyncio.subprocess.Process, chunks: AsyncIterator[bytes]) -> None:
    """Pass the body on. When git has heard enough and closes its ear, the rest is still taken off the wire, so that the
    client gets to read why."""
    assert process.stdin is not None
    listening = True
    try:
        async for chunk in chunks:
            if listening:
                try:
                    process.stdin.write(chunk)
                    await process.stdin.drain()
                except (BrokenPipeError, ConnectionResetError):
                    listening = False
    except ConnectionResetError:
        if process.returncode is None:
            process.kill()
    finally:
        process.stdin.close()


async def _stream(forge: Forge, target: Target, service: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Advertisements and fetches: what git says goes straight out."""
    headers = Headers(scope=scope)
    more = {}
    if "content-length" in headers and scope["method"] == "POST":
        more["CONTENT_LENGTH"] = headers["content-length"]
    if "content-encoding" in headers:
        more["HTTP_CONTENT_ENCODING"] = headers["content-encoding"]
    backend = await _start(forge, target, service, scope, more)
    feeding = asyncio.create_task(_feed(backend.process, _body(receive)))
    try:
        status, found = await backend.head()
        await send({"type": "http.response.start", "status": status, "headers": found})
        while chunk := await backend.read():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        await backend.end(feeding)


# -- pushes ------------------------------------------------------------------------------------------------------


class _Opening:
    """The first part of a push: its commands, capabilities and push options, read from the stream and kept for git."""

    def __init__(self) -> None:
        self.raw = b""
        self.commands: list[Command] = []
        self.capabilities: set[str] = set()
        self.options: list[str] = []

    async def read(self, chunks: AsyncIterator[bytes]) -> None:
        at, sections = 0, 1
        while sections:
            length = await self._need(chunks, at + 4) and self.raw[at : at + 4]
            if not length:
                return
            try:
                size = int(length, 16)
            except ValueError:
                raise Denied(400, "This is not a push: its first line has no length.") from None
            if size < 4:
                at += 4
                sections -= 1
                if self.commands and not sections and "push-options" in self.capabilities and not self.options:
                    self.capabilities.discard("push-options")
                    sections = 1
                continue
            if not await self._need(chunks, at + size):
                return
            self._line(self.raw[at + 4 : at + size].rstrip(b"\n"))
            at += size

    def _line(self, line: bytes) -> None:
        text, _, capabilities = line.partition(b"\0")
        if capabilities:
            self.capabilities = set(capabilities.decode("utf-8", "replace").split())
        parts = text.decode("utf-8", "surrogateescape").split(" ", 2)
        if len(parts) == 3 and all(re.fullmatch(r"[0-9a-f]{40}", one) for one in parts[:2]):
            self.commands.append(Command(parts[2], parts[0], parts[1]))
        elif self.commands:
            self.options.append(text.decode("utf-8", "replace"))

    async def _need(self, chunks: AsyncIterator[bytes], size: int) -> bool:
        while len(self.raw) < size:
            if size > COMMANDS_LIMIT:
                raise Denied(413, "The push names too many refs at once.")
            try:
                self.raw += await anext(chunks)
            except StopAsyncIteration:
                return False
        return True


async def _inflated(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    inflate = zlib.decompressobj(31)
    async for chunk in chunks:
        yield inflate.decompress(chunk)
    yield inflate.flush()


async def _receive_pack(
    forge: Forge, target: Target, user: User | None, scope: Scope, receive: Receive, send: Send
) -> None:
    """A push: refuse what the rules forbid, let git take the rest, and let the forge see it before the client hears."""
    assert user is not None
    headers = Headers(scope=scope)
    chunks = _body(receive)
    if headers.get("content-encoding") == "gzip":
        chunks = _inflated(chunks)
    opening = _Opening()
    try:
        await opening.read(chunks)
        reason = _forbidden(forge.store, target, user, opening.commands)
    except (Denied, zlib.error, ConnectionResetError) as error:
        await _refuse(
            send, error if isinstance(error, Denied) else Denied(400, "The body of the push is not readable.")
        )
        return
    if reason is not None:
        async for _ in chunks:
            pass  # a client that is still sending would not read the answer
        await _answer(send, 200, _declined(opening, reason), "application/x-git-receive-pack-result")
        return
    more = _limits(forge, target, opening.commands)
    backend = await _start(forge, target, "git-receive-pack", scope, more)

    async def all_chunks() -> AsyncIterator[bytes]:
        yield opening.raw
        async for chunk in chunks:
            yield chunk

    feeding = asyncio.create_task(_feed(backend.process, all_chunks()))
    try:
        status, found = await backend.head()
        output = await backend.read_all()
    finally:
        await backend.end(feeding)
    hints = await _effects(forge, target, user, opening) if opening.commands else ""
    if hints and "side-band-64k" in opening.capabilities and output:
        output = _packet(b"\x02" + hints.encode()) + output
    found = [one for one in found if one[0] != b"content-length"]
    found.append((b"content-length", str(len(output)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": found})
    await send({"type": "http.response.body", "body": output})


def _forbidden(store: Store, target: Target, user: User, commands: list[Command]) -> str | None:
    """Why the push as a whole may not happen, or None."""
    for command in commands:
        if not command.ref.startswith(("refs/heads/", "refs/tags/")):
            return f"GitLab: The ref '{command.ref}' cannot be pushed: only branches and tags can."
        project = target.project
        if project is None or target.wiki:
            continue
        name = command.ref.split("/", 2)[2]
        if command.ref.startswith("refs/heads/"):
            if command.new == ZERO and name == project.default_branch:
                return "GitLab: The default branch of a project cannot be deleted."
            refusal = may_push(
                store, user, project, "branch", name, deleting=command.new == ZERO, empty=bool(project.empty)
            )
        else:
            refusal = may_push(
                store, user, project, "tag", name, deleting=command.new == ZERO, exists=command.old != ZERO
            )
        if refusal:
            return f"GitLab: {refusal}"
    return None


def _declined(opening: _Opening, reason: str) -> bytes:
    """git's report that the push was turned down, with the reason on the side band."""
    report = _packet(b"unpack ok\n")
    for command in opening.commands:
        ref = command.ref.encode("utf-8", "surrogateescape")
        report += _packet(b"ng " + ref + b" pre-receive hook declined\n")
    report += b"0000"
    if "side-band-64k" not in opening.capabilities:
        return report
    parts = [report[at : at + 60000] for at in range(0, len(report), 60000)]
    return (
        _packet(b"\x02" + reason.encode("utf-8", "replace")[:900] + b"\n")
        + b"".join(_packet(b"\x01" + part) for part in parts)
        + b"0000"
    )


def _packet(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data


def _limits(forge: Forge, target: Target, commands: list[Command]) -> dict[str, str]:
    """Settings for git that hold for this push: its size, and a hook when a protected branch could be rewritten."""
    settings = {"safe.directory": "*", "receive.maxInputSize": str(forge.push_limit)}
    more: dict[str, str] = {}
    if target.project is not None and not target.wiki:
        keep = [
            one.ref
            for one in commands
            if one.old != ZERO
            and one.new != ZERO
            and one.ref.startswith("refs/heads/")
            and protects_history(forge.store, target.project, one.ref.removeprefix("refs/heads/"))
        ]
        if keep:
            settings["core.hooksPath"] = str(_hooks(forge))
            more["DAYJOB_KEEP_HISTORY"] = " ".join(keep)
    more["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings.items()):
        more[f"GIT_CONFIG_KEY_{number}"], more[f"GIT_CONFIG_VALUE_{number}"] = key, value
    return more


def _hooks(forge: Forge) -> Path:
    folder = forge.company.own_folder("forge") / "hooks"
    script = folder / "pre-receive"
    if not script.exists():
        folder.mkdir(exist_ok=True)
        part = folder / ".pre-receive.part"
        part.write_text(HOOK)
        part.chmod(0o755)
        part.rename(script)
    return folder


async def _effects(forge: Forge, target: Target, user: User, opening: _Opening) -> str:
    """Tell the forge which of the push's refs really moved."""
    repo = forge.repositories.open(target.name)
    moved = []
    for command in opening.commands:
        now = ref_sha(repo, command.ref) or ZERO
        if now == command.new and command.old != command.new:
            moved.append(pushes.Moved(command.ref, command.old, command.new))
    if not moved:
        return ""
    if target.wiki:
        pushes.wiki_pushed(forge.store, target.name)
        return ""
    assert target.project is not None
    return await pushes.pushed(forge, user, target.project, moved, opening.options)
