"""This process's way to make docker sandboxes: the daemon, the base image, task images, and what dead trials left."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from dayjob import grading, owned
from dayjob.sandbox import clock
from dayjob.sandbox.context import SEALED_FOLDERS, Context, withheld_copies
from dayjob.sandbox.debian import fingerprint, wheel_lines
from dayjob.sandbox.docker.agents import with_agent
from dayjob.sandbox.docker.command import docker
from dayjob.sandbox.docker.network import Networks
from dayjob.sandbox.grader import GRADER_UID, STANDINS, package_files
from dayjob.sandbox.sandbox import BuildError, BuiltImage, Capabilities, Frozen, SandboxError, SandboxOptions, Site
from dayjob.task.base_packages import PACKAGES, SUITE
from dayjob.task.dockerfile import parse_dockerfile

if TYPE_CHECKING:
    from dayjob.sandbox.docker.sandbox import DockerSandbox
    from dayjob.task.dockerfile import Dockerfile, Instruction

BASE_TAG = "dayjob/task-base:1"
ALIASES = ("ghcr.io/theagentcompany/task-base-image:1.0.0",)
DEFAULT_BASE = f"debian:{SUITE}-slim"


# What lies over git opens to the one in git's own folder, so it is only put there where that is a program of its own.
_GRADER_IMAGE = """FROM {image}
USER 0
RUN chown -R {uid} /utils; for folder in {folders}; do \\
    if [ -f $folder/git ] && [ ! -L $folder/git ] && [ -f /usr/bin/git ]; then cp {door} /usr/bin/git; fi; done
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DockerImage(BuiltImage):
    """A task image: its tag as docker knows it (the id), and the name people can use."""

    tag: str
    name: str = ""


def base_image_folder() -> Path:
    """The base image's files: in the checkout when there is one, else inside the installed package."""
    package = Path(grading.__file__).parents[1]
    checkout = package.parents[1] / "base_image"
    return checkout if checkout.is_dir() else package / "_data" / "base_image"


def labels() -> list[str]:
    """What marks a container as ours, and names the process it belongs to."""
    return ["--label", "dayjob=1", "--label", f"dayjob.owner={owned.mark()}"]


async def sweep() -> list[str]:
    """Remove containers, and images of workbenches, whose process has ended; returns a sentence for each.

    A daemon may serve other machines too: what carries another boot's mark is only ours to remove when it has stopped.
    """
    form = '{{.Names}} {{.Label "dayjob.owner"}} {{.State}}'
    said = await docker("ps", "-a", "--filter", "label=dayjob.owner", "--format", form)
    done = []
    for line in said.text.splitlines():
        name, owner, state = line.split()
        if owned.is_gone(owner, other_boots=state != "running"):
            await docker("rm", "-f", "-v", name, check=False)
            done.append(f"{name}: removed the container of process {owned.pid_of(owner)}, which has ended")
    return done + await _sweep_images()


async def _sweep_images() -> list[str]:
    """The same for images of workbenches. Another boot's may be another machine's, and in use."""
    said = await docker("image", "ls", "-q", "--no-trunc", "--filter", "label=dayjob.owner", check=False)
    done = []
    for image in said.text.split():
        form = '{{index .Config.Labels "dayjob.owner"}}'
        owner = (await docker("image", "inspect", "--format", form, image, check=False)).text
        if owner and owned.is_gone(owner, other_boots=False):
            await docker("image", "rm", "-f", image, check=False)
            done.append(f"{image}: removed the image of process {owned.pid_of(owner)}, which has ended")
    return done


async def security_options() -> list[str]:
    """What the daemon says about its own security; `SandboxError` when none answers."""
    said = await docker("info", "--format", "{{json .SecurityOptions}}")
    return [str(one) for one in json.loads(said.text) or ()]


class DockerSite(Site):
    """Use as `async with DockerSite() as site`. `base` is what the base image is built on.

    `descriptors` False carries connections over streams from the start, as is done where descriptors cannot travel.
    """

    def __init__(self, base: str | None = None, *, descriptors: bool = True) -> None:
        self.base = base or os.environ.get("DAYJOB_DOCKER_BASE") or DEFAULT_BASE
        self.ways = Networks(descriptors)
        self.capabilities = capabilities([])
        self._based = asyncio.Lock()
        self._roots: dict[str, str] = {}
        self._notes: dict[str, tuple[str, ...]] = {}
        self._graders: dict[str, str] = {}
        self._users: dict[str, int] = {}
        self._placed: dict[Path, str] = {}
        self._placing = asyncio.Lock()

    async def __aenter__(self) -> DockerSite:
        options = await security_options()
        self.capabilities = capabilities(options)
        await sweep()
        await asyncio.to_thread(owned.sweep_folders)
        return self

    async def __aexit__(self, *about: object) -> None:
        return

    async def build_base(self) -> str:
        """The base image, made now unless this very one is there; returns what the build said."""
        async with self._based:
            folder = owned.folder("base")
            try:
                await asyncio.to_thread(_base_context, folder)
                key = f"{_digest(folder)}-{self.base}"
                there = await docker(
                    "image", "inspect", "--format", '{{index .Config.Labels "dayjob.base"}}', BASE_TAG, check=False
                )
                if there.code == 0 and there.text == key:
                    return ""
                said = await docker(
                    "build", "-t", BASE_TAG, "--build-arg", f"BASE={self.base}", "--label", f"dayjob.base={key}",
                    str(folder), check=False,
                )  # fmt: skip
                log = (said.out + said.err).decode("utf-8", "replace")
                if said.code:
                    raise BuildError(f"the base image does not build on {self.base}: {_last(log)}", log)
                for alias in ALIASES:
                    await docker("tag", BASE_TAG, alias)
                return log
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    async def grader_image(self, tag: str) -> str:
        """A task's image as its evaluator gets it: /utils is the grader's own, and our git lies over the image's."""
        async with self._based:
            if tag not in self._graders:
                text = _GRADER_IMAGE.format(image=tag, uid=GRADER_UID, door=grading.GIT_DOOR,
                                            folders=" ".join(grading.GIT_FOLDERS))  # fmt: skip
                said = await docker("build", "-q", "-", stdin=text.encode(), check=False)
                if said.code:
                    raise SandboxError(f"an image to grade with cannot be made: {_last(said.err.decode())}")
                self._graders[tag] = said.text
            return self._graders[tag]

    def placed(self, frozen: Frozen) -> str | None:
        """The image of a workbench that has these files and the system as it was left, once there is one."""
        return self._placed.get(frozen.folder)

    async def keep_placed(self, frozen: Frozen, container: str) -> None:
        """Make an image of a workbench in which everything is in place: an installation can be large."""
        async with self._placing:
            if frozen.folder in self._placed:
                return
            label = f"LABEL dayjob.owner={owned.mark()}"
            said = await docker("commit", "--change", label, container, check=False)
            if said.code == 0:
                self._placed[frozen.folder] = said.text

    async def forget(self, frozen: Frozen) -> None:
        if image := self._placed.pop(frozen.folder, None):
            await docker("image", "rm", "-f", image, check=False)

    async def root_of(self, tag: str) -> str:
        """Which system an image has, by name and content, as the embedded sandbox names its own."""
        if tag not in self._roots:
            command = ["cat", "/etc/os-release", "/var/lib/dpkg/status"]
            said = await docker("run", "--rm", "--network", "none", tag, *command, check=False)
            facts = dict(re.findall(r'^(ID|VERSION_ID)="?([^"\n]*)"?$', said.text, re.MULTILINE))
            name = f"{facts.get('ID', 'unknown').capitalize()} {facts.get('VERSION_ID', '')}".strip()
            self._roots[tag] = f"{name}, {fingerprint(said.text)}"
        return self._roots[tag]

    async def user_of(self, tag: str, container: str) -> int:
        """The uid that commands have in a container of this image."""
        if tag not in self._users:
            said = await docker("exec", container, "id", "-u")
            self._users[tag] = int(said.text)
        return self._users[tag]

    async def build(self, folder: Path, dockerfile: Dockerfile, *, within: float) -> DockerImage:
        image = await self._build(folder, folder, dockerfile, f"dayjob-task/{folder.name.lower()}:latest")
        if not dockerfile.below:
            return image
        both, said = await with_agent(image.tag, self.base, dockerfile.below)
        return replace(image, key=both, tag=both, log=image.log + said)

    async def build_sealed(self, folder: Path, dockerfile: Dockerfile, key: bytes) -> DockerImage:
        """An image that may travel: what only graders and init scripts may see is in it under this key."""
        from dayjob.sandbox.docker.sealing import sealed_context  # late: few images are sealed

        place = owned.folder("seal")
        try:
            await asyncio.to_thread(sealed_context, folder, dockerfile, key, place)
            return await self._build(folder, place, dockerfile, f"dayjob-task/{folder.name.lower()}:sealed")
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def _build(self, folder: Path, context: Path, dockerfile: Dockerfile, tag: str) -> DockerImage:
        began = time.monotonic()
        if dockerfile.made:
            log = await self._build_made(dockerfile.made, context, tag)
        else:
            await self.build_base()
            said = await docker("build", "--force-rm", "-t", tag, str(context), check=False)
            log = (said.out + said.err).decode("utf-8", "replace")
            if said.code:
                raise BuildError(f"the task's image does not build: {_last(log)}", log)
        key = (await docker("image", "inspect", "--format", "{{.Id}}", tag)).text
        withheld = (*SEALED_FOLDERS, *withheld_copies(Context(folder), dockerfile))
        root = await self.root_of(dockerfile.made or BASE_TAG)
        notes = await self._notes_on(key) if dockerfile.made else ()
        return DockerImage(
            key=key, root=root, tag=key, name=tag, notes=notes, withheld=withheld, log=log,
            seconds=time.monotonic() - began,
        )  # fmt: skip

    async def _notes_on(self, tag: str) -> tuple[str, ...]:
        """What is missing in an image that somebody else has built."""
        if tag not in self._notes:
            said = await docker("run", "--rm", "--network", "none", tag, "test", "-e", clock.LIBRARY, check=False)
            told = "the company's clock could not be built in this image: programs in it have the host's time"
            self._notes[tag] = (told,) if said.code else ()
        return self._notes[tag]

    async def _build_made(self, image: str, context: Path, tag: str) -> str:
        from dayjob.sandbox.docker.prebuilt import built_on  # late: few tasks come with an image

        folder = owned.folder("base")
        try:
            await asyncio.to_thread(_base_context, folder)
            return await built_on(image, folder, context, tag)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def build_plain(self, instructions: Sequence[Instruction], *, within: float) -> DockerImage:
        lines = "".join(f"{one.keyword} {one.text}\n" for one in instructions)
        folder = owned.folder("plain")
        try:
            # What the base copies when an image is built on it, and has nothing in it here.
            for name in ("task.md", "dependencies.yml"):
                (folder / name).touch()
            (folder / "Dockerfile").write_text(f"FROM {BASE_TAG}\n{lines}", "utf-8")
            tag = f"dayjob-plain:{hashlib.sha256(lines.encode()).hexdigest()[:24]}"
            return await self._build(folder, folder, parse_dockerfile(f"FROM {BASE_TAG}\n{lines}"), tag)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def sandbox(self, image: BuiltImage, **options: Unpack[SandboxOptions]) -> DockerSandbox:
        from dayjob.sandbox.docker.sandbox import DockerSandbox  # late: it is made of this module's parts

        if not isinstance(image, DockerImage):
            raise SandboxError("this image was built for another sandbox")
        return DockerSandbox(self, image, **options)


def capabilities(security: Sequence[str]) -> Capabilities:
    """What containers can promise with a daemon that has these security options."""
    filtered = any("name=seccomp" in one for one in security)
    apart = any(f"name={kind}" in one for one in security for kind in ("userns", "rootless"))
    notes = ["a disk that is full is noticed within seconds, not at once"]
    if not apart:
        notes.append(
            "root inside is root outside, with Docker's default capabilities less NET_RAW, no new privileges and "
            "Docker's system call filter; dockerd --userns-remap makes it an ordinary uid"
        )
    if not filtered:
        notes.append("this daemon filters no system calls")
    return Capabilities(
        name="docker",
        memory="docker --memory",
        processes="docker --pids-limit",
        cpu="docker --cpus",
        disk="watched: a container that has written more is paused for good",
        file="ulimit fsize",
        separate_uid=apart,
        uids="one range for all containers" if apart else "the host's own",
        writable_system=True,
        egress=("none", "list", "full"),
        snapshot=True,
        filter=filtered,
        notes=tuple(notes),
    )


def _base_context(folder: Path) -> None:
    """What the base image's Dockerfile copies."""
    shutil.copyfile(base_image_folder() / "Dockerfile", folder / "Dockerfile")
    grading.place(folder / "utils")
    shutil.copyfile(base_image_folder() / "init.sh", folder / "utils" / "init.sh")
    for source, name in package_files():
        (folder / "packages" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / "packages" / name)
    (folder / "packages" / STANDINS[0]).write_text(STANDINS[1])
    (folder / "system").mkdir()
    (folder / "system" / "packages").write_text("\n".join(PACKAGES) + "\n", "utf-8")
    (folder / "system" / "wheels").write_text(wheel_lines(), "utf-8")
    (folder / "system" / "clock").mkdir()
    for path in clock.sources():
        shutil.copyfile(path, folder / "system" / "clock" / path.name)
    (folder / "system" / "clock" / "build").write_text(
        f"{shlex.join(clock.command('/tmp/system/clock'))} && echo {clock.LIBRARY} > {clock.PRELOAD}\n", "utf-8"
    )


def _digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            total.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return total.hexdigest()[:24]


def _last(log: str) -> str:
    lines = log.strip().splitlines()
    return lines[-1] if lines else "it said nothing"
