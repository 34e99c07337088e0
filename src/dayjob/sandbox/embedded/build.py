"""A task's Dockerfile made into layers for embedded rooms: COPY and ADD by us, RUN in a room, each cached by content.

An instruction that cannot be honoured here is an error that names its line; nothing is skipped in silence. The log of
every RUN and the time it took are kept with its layer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shutil
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from dayjob import owned
from dayjob.sandbox.context import SEALED_FOLDERS, Context, Copy, digest
from dayjob.sandbox.debian import BY_CONTENT, authorities
from dayjob.sandbox.embedded.base import changes_system, grading_layer
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import MIB, BuildError, Limits, SandboxError
from dayjob.task.dockerfile import Dockerfile, Instruction, expand
from dayjob.unpacking import unpack

BASES = ("dayjob/task-base", "ghcr.io/theagentcompany/task-base-image", "task-base-image", "base-image")
_VERSION = 1
_BUILD_LIMITS = Limits(memory=8192 * MIB, disk=4096 * MIB, file=4096 * MIB, processes=4096, cpus=64)

# Settings of the host that let a build reach its package registries. Nothing else of our environment is passed on.
_PASSED_ON = re.compile(r"(?i)(https?_proxy|no_proxy|all_proxy|pip_[a-z_]+|ssl_cert_(file|dir)|requests_ca_bundle)$")

# Written into a room for the build alone, and taken out of the layer again.
_FOR_BUILDING = ("etc/hosts", "etc/hostname", "etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt")


@dataclass(slots=True)
class _State:
    """Where the build stands after an instruction."""

    key: str
    layers: list[str]
    system: tuple[str, ...]
    arguments: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)
    workdir: str = "/workspace"
    user: str = "root"
    shell: tuple[str, ...] = ("/bin/sh", "-c")
    withheld: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    seconds: float = 0.0
    shared: str = ""
    """While nothing of a task is in it: what is made now lies with the base, under names that begin like this."""

    def expand(self, text: str) -> str:
        return expand(text, {**self.arguments, **self.env})


async def build_image(site: EmbeddedSite, folder: Path, dockerfile: Dockerfile, *, within: float = 1800) -> Image:
    """The image of a task folder, from cached layers or built now. Raises `BuildError`."""
    return await _Build(site, Context(folder), within).image(dockerfile)


async def build_plain(site: EmbeddedSite, instructions: Sequence[Instruction], *, within: float) -> Image:
    """The base with these instructions carried out, in layers that all caches with this base share."""
    base = Instruction("FROM", f"{BASES[0]}:1", 0)
    await site.find_base()
    if changes_system(Dockerfile(tuple(instructions))) and (why := site.why_fixed):
        raise BuildError(f"it installs packages of Debian: {why}", of_task=False)
    folder = owned.folder("plain")
    try:
        return await _Build(site, Context(folder), within).image(Dockerfile((base,), below=tuple(instructions)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Build:
    def __init__(self, site: EmbeddedSite, context: Context, within: float) -> None:
        self.site = site
        self.store = site.layers
        self.context = context
        self.within = within

    async def image(self, dockerfile: Dockerfile) -> Image:
        froms = [one for one in dockerfile.instructions if one.keyword == "FROM"]
        if len(froms) != 1:
            raise BuildError("the embedded sandbox builds Dockerfiles with exactly one FROM; use --sandbox docker")
        if (dockerfile.base_image or "").partition(":")[0].partition("@")[0] not in BASES:
            raise BuildError(
                f"Dockerfile:{froms[0].line}: '{dockerfile.base_image}' is not the task base image; "
                f"start with FROM {BASES[0]}:1"
            )
        base = await self.site.find_base()
        if changes_system(dockerfile) and (why := self.site.why_fixed):
            raise SandboxError(f"this task's Dockerfile changes the system: {why}")
        state = _State(base.layers[-1], list(base.layers), base.system)
        state.shared = "" if base.system else f"{base.layers[0]}-"
        for instruction in dockerfile.below:
            try:
                await self._do(state, instruction)
            except BuildError as error:
                sentence = str(error).removeprefix(f"Dockerfile:{instruction.line}: ")
                raise BuildError(f"below the task, {sentence}", error.log, of_task=False) from error
        state.shared = ""
        await asyncio.to_thread(self._add_copies, state, self.context.onbuild(), "onbuild")
        for instruction in dockerfile.instructions:
            try:
                await self._do(state, instruction)
            except BuildError:
                raise
            except (SandboxError, OSError) as error:
                raise BuildError(f"Dockerfile:{instruction.line}: {error}") from error
        # On top, and in no other layer's name: a new grading set does not rebuild what tasks installed.
        grading = await asyncio.to_thread(grading_layer, self.store, base)
        return Image(
            key=state.key,
            layers=tuple(self.store.path(key) for key in (grading, *reversed(state.layers))),
            system=state.system,
            below=len(base.layers),
            root=base.name,
            notes=self.site.notes,
            grading=self.store.path(grading),
            env=state.env,
            workdir=state.workdir,
            user=state.user,
            withheld=(*SEALED_FOLDERS, *state.withheld),
            log="".join(state.log),
            seconds=state.seconds,
        )

    async def _do(self, state: _State, instruction: Instruction) -> None:
        match instruction.keyword:
            case "FROM" | "LABEL" | "MAINTAINER" | "EXPOSE":
                pass  # the base is laid already; the others say nothing about the image's content
            case "ARG":
                for word in instruction.words():
                    name, given, value = word.partition("=")
                    state.arguments[name] = state.expand(value) if given else state.arguments.get(name, "")
            case "ENV":
                state.env.update(_pairs(state, instruction))
            case "USER":
                state.user = state.expand(instruction.text)
            case "SHELL" if instruction.parts:
                state.shell = instruction.parts
            case "WORKDIR":
                state.workdir = str(PurePosixPath(state.workdir, state.expand(instruction.text)))
                await asyncio.to_thread(self._add_folder, state, state.workdir)
            case "COPY" | "ADD":
                await asyncio.to_thread(self._copy, state, instruction)
            case "RUN":
                await self._run(state, instruction)
            case keyword:
                raise BuildError(
                    f"Dockerfile:{instruction.line}: the embedded sandbox cannot honour {keyword}; "
                    "remove it, or use --sandbox docker"
                )

    # -- COPY and ADD --------------------------------------------------------------------------------------------

    def _copy(self, state: _State, instruction: Instruction) -> None:
        flags = dict(instruction.flags)
        if unknown := flags.keys() - {"chown", "chmod"}:
            raise SandboxError(f"--{min(unknown)} cannot be honoured here; remove it, or use --sandbox docker")
        words = [state.expand(word) for word in instruction.words()]
        if len(words) < 2:
            raise SandboxError(f"{instruction.keyword} needs a source and a destination")
        if instruction.keyword == "ADD" and any("://" in word for word in words[:-1]):
            raise SandboxError("ADD cannot download here; use RUN curl")
        copies = self.context.copies(words[:-1], words[-1], state.workdir, lambda path: self._is_folder(state, path))
        self._add_copies(state, copies, instruction.keyword, flags.get("chown", ""), flags.get("chmod", ""))

    def _add_copies(self, state: _State, copies: list[Copy], kind: str, chown: str = "", chmod: str = "") -> None:
        key = _next_key(state, kind, digest(copies), chown, chmod)
        owner = self._owner(state, chown)

        def fill(folder: Path) -> None:
            for copy in copies:
                target = folder / copy.target.lstrip("/")
                self._parents(state, folder, target)
                if kind == "ADD" and copy.source.is_file() and tarfile.is_tarfile(copy.source):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with tarfile.open(copy.source) as tar:
                        unpack(tar, target.parent)
                    continue
                _place(copy.source, target, chmod)
            self._give(folder, copies, owner)

        self._add(state, self.store.make(key, fill, owned=True))
        state.withheld += [copy.target for copy in copies if copy.withheld and not copy.source.is_dir()]

    def _add_folder(self, state: _State, path: str) -> None:
        key = _next_key(state, "folder", path)

        def fill(folder: Path) -> None:
            self._parents(state, folder, folder / path.lstrip("/") / "x")

        self._add(state, self.store.make(key, fill))

    def _parents(self, state: _State, folder: Path, target: Path) -> None:
        """Make the folders above a target with the permissions they have in the layers below, through their links."""
        if target.parent == folder or target.parent.is_dir():
            return
        self._parents(state, folder, target.parent)
        below = self._below(state, target.parent.relative_to(folder))
        if below is not None and below.is_symlink():
            raise SandboxError(
                f"/{target.parent.relative_to(folder)} is a link in the base; name the folder it leads to"
            )
        target.parent.mkdir()
        if below is not None:
            target.parent.chmod(below.stat().st_mode & 0o7777)

    def _below(self, state: _State, relative: Path) -> Path | None:
        for key in reversed(state.layers):
            path = self.store.path(key) / relative
            if path.is_symlink() or path.exists():
                return path
        return None

    def _is_folder(self, state: _State, path: str) -> bool:
        below = self._below(state, Path(path.lstrip("/")))
        if below is None and any(f"{path}/".startswith(f"{shown}/") for shown in state.system):
            below = Path(path)
        return path == "/" or (below is not None and below.is_dir())

    def _owner(self, state: _State, chown: str) -> tuple[int, int]:
        layers = tuple(self.store.path(key) for key in reversed(state.layers))
        image = Image(key=state.key, layers=layers, system=state.system)
        uid, gid, _ = image.ids(chown or "root")
        return uid, gid

    def _give(self, folder: Path, copies: list[Copy], owner: tuple[int, int]) -> None:
        """What was copied belongs to its owner; the folders above it, and unpacked archives, to root."""
        self.store.own(folder)
        if self.site.identity.separate and owner != (0, 0):
            for copy in copies:
                if os.path.lexists(place := folder / copy.target.lstrip("/")):
                    os.chown(place, *self.site.identity.outside(*owner), follow_symlinks=False)

    # -- RUN -----------------------------------------------------------------------------------------------------

    async def _run(self, state: _State, instruction: Instruction) -> None:
        if instruction.flags:
            raise SandboxError(f"RUN --{instruction.flags[0][0]} needs BuildKit; write it without")
        command = list(instruction.parts) if instruction.parts else [*state.shell, instruction.text]
        env = {**state.arguments, **state.env}
        key = _next_key(state, "RUN", *command, json.dumps(env, sort_keys=True), state.user, state.workdir)
        if not self.store.has(key):
            await asyncio.to_thread(self._wait_for, key)
        if not self.store.has(key):
            await self._make(state, instruction, key, command, env)
        note = self.store.note(key)
        state.log.append(f"RUN {instruction.text}\n{note.get('log', '')}\n")
        state.seconds += float(str(note.get("seconds", 0)))
        self._add(state, key)

    def _wait_for(self, key: str) -> None:
        """Another process may be making this very layer: let it finish."""
        with self.store.of(key).lock(key):
            pass

    async def _make(
        self, state: _State, instruction: Instruction, key: str, command: list[str], env: dict[str, str]
    ) -> None:
        began = time.monotonic()
        with self.store.of(key).workplace() as part:
            image = Image(
                key=key,
                layers=tuple(self.store.path(one) for one in reversed(state.layers)),
                system=state.system,
                env=env,
                workdir=state.workdir,
                user=state.user,
            )
            room = EmbeddedSandbox(
                self.site,
                image,
                name="build",
                limits=_BUILD_LIMITS,
                own_network=False,
                on_disk=part,
                files=_host_files(),
            )
            await room.start()
            try:
                done = await room.exec(
                    command,
                    env={name: value for name, value in os.environ.items() if _PASSED_ON.match(name)} | BY_CONTENT,
                    within=self.within,
                )
            finally:
                await room.stop()
            log = done.text + done.error_text
            if not done.ok:
                why = "took too long" if done.timed_out else f"ended with {done.exit_code}"
                last = log.strip().splitlines()[-1:] or [""]
                raise BuildError(f"Dockerfile:{instruction.line}: RUN {why}: {last[0]}", log)
            for name in _FOR_BUILDING:
                (part / "files" / name).unlink(missing_ok=True)
            with self.store.of(key).lock(key):
                if not self.store.has(key):
                    self.store.of(key).finish(key, part, {"log": log, "seconds": time.monotonic() - began})

    def _add(self, state: _State, key: str) -> None:
        state.layers.append(key)
        state.key = key


def _next_key(state: _State, *facts: str) -> str:
    text = "\0".join((str(_VERSION), state.key, *facts))
    return state.shared + hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _pairs(state: _State, instruction: Instruction) -> dict[str, str]:
    words = instruction.words()
    if "=" not in words[0]:
        name, _, value = instruction.text.partition(" ")
        return {name: state.expand(value.strip())}
    return {name: state.expand(value) for name, _, value in (word.partition("=") for word in words)}


def _place(source: Path, target: Path, chmod: str) -> None:
    if source.is_symlink():
        target.symlink_to(os.readlink(source))
    elif source.is_dir():
        target.mkdir(exist_ok=True)
        target.chmod(0o755)
    else:
        shutil.copyfile(source, target)
        target.chmod(int(chmod, 8) if chmod else 0o755 if source.stat().st_mode & 0o111 else 0o644)


def _host_files() -> dict[str, str]:
    """What a build needs of the host to reach the network: its resolver, its authorities and pip's settings."""
    files = authorities()
    for path in ("/etc/resolv.conf", "/etc/pip.conf"):
        if os.path.isfile(path):
            files[path] = Path(path).read_text("utf-8", "replace")
    return files
