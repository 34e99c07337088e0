"""Clone, fetch and push over HTTP: git's own `http-backend` behind our accounts, a push's effects before its answer.

The body of a push is looked at only as far as its list of refs, to refuse what the rules forbid; the pack streams
through. Whether a protected branch would be rewritten is asked by a hook inside git's quarantine, when the objects are
known and nothing is visible yet.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from dayjob.company.forge import pushes
from dayjob.company.forge.git.backend import body, feed, start
from dayjob.company.forge.git.opening import Denied, Moved, Opening, declined, inflated, packet
from dayjob.company.forge.git.repositories import ZERO, ref_sha
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, job_tokens, jobs, namespaces, projects, tokens, users
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.protection import may_push, protects_history
from dayjob.company.journal import identify

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge

_PLACE = re.compile(r"/(?P<repo>[^?]+?)(?:\.git)?/(?P<service>info/refs|git-upload-pack|git-receive-pack)$")
_LFS = re.compile(r"/(?P<repo>[^?]+?)(?:\.git)?/(?P<service>info/lfs/.*|gitlab-lfs/.*)$")
_DUMB = re.compile(r"/(?P<repo>[^?]+?)\.git/(?P<service>HEAD|objects/.*)$")
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
    """The account behind the Authorization header, or a deploy token's (kind, source); both for a running job's."""
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
    if name == "gitlab-ci-token" and (job := jobs.by_token(store, secret)) is not None:
        if pushing:
            raise Denied(403, "You are not allowed to push code to this project with a job token.")
        starter = users.active(store, job.user_id)
        if starter is None:
            raise Denied(401, "HTTP Basic: Access denied.")
        identify(starter.username)
        return starter, ("job", job.id)
    found = tokens.by_secret(store, secret) if secret else None
    if found is not None:
        scopes = set(found.scope_names)
        if not scopes & ({"api", "write_repository"} if pushing else {"api", "write_repository", "read_repository"}):
            raise Denied(403, "The token has no scope for this: it needs read_repository or write_repository.")
        if found.user_id is None:
            if name != found.username:
                raise Denied(401, "HTTP Basic: Access denied.")
            identify(found.username)
            return None, (found.kind, found.source_id or 0)
        user = users.active(store, found.user_id)
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
    if deploy is not None and deploy[0] == "job":
        if not job_tokens.reaches(store, jobs.get(store, deploy[1]), project):
            raise Denied(403, "Authentication by CI/CD job token not allowed from this project to its target.")
        deploy = None
    if deploy is not None:
        allowed = deploy == ("deploy_project", project.id) or (
            deploy[0] == "deploy_group" and deploy[1] in namespaces.ancestors(store, project.namespace_id)
        )
        if not allowed:
            raise Denied(404, NOT_THERE)
    elif not access.can_see_project(store, user, project):
        raise Denied(404 if anybody else 401, NOT_THERE if anybody else "HTTP Basic: Access denied.")
    level = access.project_level(store, user, project)
    reads = access.may_use(store, user, project, "wiki") if wiki else access.may_read_code(store, user, project)
    if deploy is None and not reads:
        raise Denied(403 if anybody else 401, "You are not allowed to download code from this project.")
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


# -- fetches -----------------------------------------------------------------------------------------------------


async def _folder(forge: Forge, target: Target) -> Path:
    return await asyncio.to_thread(forge.repositories.folder, target.name)


async def _stream(forge: Forge, target: Target, service: str, scope: Scope, receive: Receive, send: Send) -> None:
    """Advertisements and fetches: what git says goes straight out."""
    headers = Headers(scope=scope)
    more = {}
    if "content-length" in headers and scope["method"] == "POST":
        more["CONTENT_LENGTH"] = headers["content-length"]
    if "content-encoding" in headers:
        more["HTTP_CONTENT_ENCODING"] = headers["content-encoding"]
    backend = await start(await _folder(forge, target), service, scope, more)
    feeding = asyncio.create_task(feed(backend.process, body(receive)))
    try:
        status, found = await backend.head()
        await send({"type": "http.response.start", "status": status, "headers": found})
        while chunk := await backend.read():
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        await backend.end(feeding)


# -- pushes ------------------------------------------------------------------------------------------------------


async def _receive_pack(
    forge: Forge, target: Target, user: User | None, scope: Scope, receive: Receive, send: Send
) -> None:
    """A push: refuse what the rules forbid, let git take the rest, and let the forge see it before the client hears."""
    assert user is not None
    headers = Headers(scope=scope)
    chunks = body(receive)
    if headers.get("content-encoding") == "gzip":
        chunks = inflated(chunks)
    opening = Opening()
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
        await _answer(send, 200, declined(opening, reason), "application/x-git-receive-pack-result")
        return
    quota = forge.company.quota
    room = quota.room(forge.push_limit)
    more = _settings(forge, target, opening.commands)
    backend = await start(await _folder(forge, target), "git-receive-pack", scope, more)

    size, taken = len(opening.raw), 0

    async def all_chunks() -> AsyncIterator[bytes]:
        """What git is given: no more than the limit. The rest is taken off the wire, so that the client reads why."""
        nonlocal size, taken
        yield opening.raw
        async for chunk in chunks:
            size += len(chunk)
            if size <= room:
                quota.correct(len(chunk))
                taken += len(chunk)
                yield chunk

    feeding = asyncio.create_task(feed(backend.process, all_chunks()))
    try:
        status, found = await backend.head()
        output = await backend.read_all()
    finally:
        await backend.end(feeding)
        await asyncio.to_thread(forge.repositories.measure, target.name, taken)
    if size > room:
        reason = (
            f"GitLab: The push exceeds maximum allowed size ({forge.push_limit // 1024**2} MiB)."
            if size > forge.push_limit
            else f"GitLab: Your push has been rejected: it does not fit into the {room} bytes of storage that are left."
        )
        await _answer(send, 200, declined(opening, reason), "application/x-git-receive-pack-result")
        return
    hints = await _effects(forge, target, user, opening) if opening.commands else ""
    if hints and "side-band-64k" in opening.capabilities and output:
        output = packet(b"\x02" + hints.encode()) + output
    found = [one for one in found if one[0] != b"content-length"]
    found.append((b"content-length", str(len(output)).encode()))
    await send({"type": "http.response.start", "status": status, "headers": found})
    await send({"type": "http.response.body", "body": output})


def _forbidden(store: Store, target: Target, user: User, commands: list[Moved]) -> str | None:
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


def _settings(forge: Forge, target: Target, commands: list[Moved]) -> dict[str, str]:
    """Settings for git that hold for this push: a hook when a protected branch could be rewritten."""
    settings = {"safe.directory": "*"}
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


async def _effects(forge: Forge, target: Target, user: User, opening: Opening) -> str:
    """Tell the forge which of the push's refs really moved."""
    repo = forge.repositories.open(target.name)
    moved = []
    for command in opening.commands:
        now = ref_sha(repo, command.ref) or ZERO
        if now == command.new and command.old != command.new:
            moved.append(command)
    if not moved:
        return ""
    if target.wiki:
        pushes.wiki_pushed(forge.store, target.name)
        return ""
    assert target.project is not None
    return await pushes.pushed(forge, user, target.project, moved, opening.options)
