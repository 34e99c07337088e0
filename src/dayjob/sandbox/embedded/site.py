"""This process's way to make embedded sandboxes: the warden, the layers, and what this machine allows."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from dayjob import owned, seccomp
from dayjob.sandbox import cgroups, kernel
from dayjob.sandbox.cgroups import available
from dayjob.sandbox.debian import Say
from dayjob.sandbox.embedded.base import HOST, Base, host_base, host_system, layer_store, own_base, own_obstacle
from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.graders import WarmGraders
from dayjob.sandbox.embedded.hidden_paths import collection, covered, installations
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.embedded.uid_ranges import SHARED_COUNTERS, UidRanges
from dayjob.sandbox.sandbox import BuiltImage, Capabilities, SandboxError, SandboxOptions, Site

if TYPE_CHECKING:
    from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
    from dayjob.task.dockerfile import Dockerfile, Instruction


log = logging.getLogger("dayjob.sandbox")
OWN_UIDS = "a range per room"
SHARED_UIDS = "one range for all rooms"
ONE_UID = "this user's own"


class EmbeddedSite(Site):
    """Makes embedded sandboxes for this process. Use as `async with EmbeddedSite(cache) as site`."""

    def __init__(self, cache: Path) -> None:
        self.identity = of_this_user()
        self.layers = layer_store(cache)
        self.warden = Warden()
        self.graders = WarmGraders()
        self.ranges: UidRanges | None = None
        """Where rooms get uids of their own; None where all share one range, or one uid."""
        self.capabilities = capabilities(self.layers)
        self._base: Base | None = None
        self._why_host: str | None = None
        self._finding = asyncio.Lock()
        self._shown = tuple(host_system())
        self._kept_out = set(covered(installations(self._shown), self._shown))
        self.keep_out(cache)

    async def __aenter__(self) -> EmbeddedSite:
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise SandboxError("bubblewrap is not installed; install it with: apt-get install bubblewrap")
        self.bwrap = bwrap
        await asyncio.to_thread(self._sweep)
        await self.warden.__aenter__()
        if self.identity.separate:
            await self._find_ranges()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self.graders.stop()
        await self.warden.__aexit__(*about)
        if self.ranges is not None:
            self.ranges.close()

    async def _find_ranges(self) -> None:
        """Give each room uids of its own, where this kernel and these file systems can."""
        ranges = UidRanges(self.warden, self.identity)
        why = await ranges.obstacle(_shown_in_rooms(self.layers))
        self.capabilities = with_uids(self.capabilities, why)
        if why is None:
            self.ranges = ranges
        else:
            ranges.close()

    def _sweep(self) -> None:
        cgroups.sweep()
        owned.sweep_folders()
        self.layers.sweep()

    async def find_base(self, say: Say = log.info) -> Base:
        """What images stand on here: a system of its own or, where none can be made, the host's."""
        async with self._finding:
            if self._base is None:
                self._base = await asyncio.to_thread(self._find_base, say)
            return self._base

    def _find_base(self, say: Say) -> Base:
        try:
            return own_base(self.layers, say)
        except SandboxError as error:
            self._why_host = str(error)
            notes = (*self.capabilities.notes, *self.notes)
            self.capabilities = replace(self.capabilities, writable_system=False, notes=notes)
            return host_base(self.layers)

    @property
    def notes(self) -> tuple[str, ...]:
        """What whoever reads an outcome should know about the images of this site."""
        if self._why_host is None:
            return ()
        own = "because they can have no system of their own here"
        return (f"rooms show {HOST} and have the host's time, {own}: {self._why_host}",)

    @property
    def why_fixed(self) -> str | None:
        """Why an image's system cannot be changed here, or None."""
        if not self.identity.separate:
            return "an ordinary user has one uid to give, and packages need more; run as root, or use --sandbox docker"
        return self._why_host

    async def base(self) -> Image:
        """The image of a task whose Dockerfile adds nothing."""
        base = await self.find_base()
        layers = tuple(self.layers.path(key) for key in reversed(base.layers))
        return Image(key=base.layers[-1], layers=layers, system=base.system, below=len(layers), root=base.name)

    async def build(self, folder: Path, dockerfile: Dockerfile, *, within: float) -> Image:
        from dayjob.sandbox.embedded.build import build_image  # late: it runs RUN in sandboxes of this very site

        self.keep_out(folder)
        return await build_image(self, folder, dockerfile, within=within)

    async def build_plain(self, instructions: Sequence[Instruction], *, within: float) -> Image:
        from dayjob.sandbox.embedded.build import build_plain  # late: likewise

        return await build_plain(self, instructions, within=within)

    def keep_out(self, *paths: Path) -> None:
        self._kept_out.update(covered((collection(path, self._shown) for path in paths), self._shown))

    @property
    def covered(self) -> list[str]:
        """The places in the host's folders over which a room lays something empty, so that it does not show them."""
        return covered(map(Path, self._kept_out), self._shown)

    def sandbox(self, image: BuiltImage, **options: Unpack[SandboxOptions]) -> EmbeddedSandbox:
        from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox  # late: likewise

        assert isinstance(image, Image)
        return EmbeddedSandbox(self, image, **options)


async def why_uids_are_shared(store: LayerStore) -> str | None:
    """Why rooms made by root cannot have uids of their own here, or None."""
    async with Warden() as warden:
        ranges = UidRanges(warden, store.identity)
        try:
            return await ranges.obstacle(_shown_in_rooms(store))
        finally:
            ranges.close()


def _shown_in_rooms(store: LayerStore) -> list[Path]:
    """Where the host keeps what rooms are made of: layers, and frozen files."""
    return [*{store.folder, store.bases.folder}, Path(tempfile.gettempdir())]


def with_uids(known: Capabilities, why_shared: str | None) -> Capabilities:
    """What rooms can promise once it is known whether each has uids of its own."""
    if why_shared is None:
        return replace(known, uids=OWN_UIDS)
    note = f"all rooms have the same uids and share what the kernel counts by user ({SHARED_COUNTERS}): {why_shared}"
    return replace(known, uids=SHARED_UIDS, notes=(*known.notes, note))


def capabilities(store: LayerStore) -> Capabilities:
    """What rooms can promise on this machine; whether root's have uids of their own only a warden can try."""
    groups = available()
    how = f"control groups v{groups.version}" if groups else None
    notes = () if groups else (groups.reason,)
    if groups.missing:
        notes = (f"{how} are given without {' and '.join(groups.missing)}, which they do not limit",)
    try:
        filtered = bool(seccomp.program())
    except LookupError as error:
        filtered, notes = False, (*notes, str(error))
    if not kernel.memory_keeps_attributes():
        notes = (*notes, "folders that came with the image can be emptied in a room, but not removed: needs Linux 6.6")
    separate = of_this_user().separate
    if not separate:
        notes = (
            *notes,
            "run by an ordinary user: examinee and grader are both this user outside, in separate namespaces",
            f"rooms and this user's other programs share what the kernel counts by user: {SHARED_COUNTERS}",
        )
    return Capabilities(
        name="embedded",
        memory=how or "per process (RLIMIT_DATA)",
        processes=how if how and "pids" not in groups.missing else "per user namespace (RLIMIT_NPROC)",
        cpu=how if "cpu" not in groups.missing else None,
        disk="in memory, size-limited (tmpfs)",
        file="RLIMIT_FSIZE",
        separate_uid=separate,
        uids=SHARED_UIDS if separate else ONE_UID,
        writable_system=separate and own_obstacle(store) is None,
        egress=("none", "list", "full"),
        snapshot=True,
        copies=True,
        filter=filtered,
        notes=notes,
    )
