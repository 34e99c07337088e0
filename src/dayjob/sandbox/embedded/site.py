"""This process's way to make embedded sandboxes: the warden, the layers, and what this machine allows."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from dayjob.sandbox.embedded import live, seccomp
from dayjob.sandbox.embedded.base import base_layer, host_system
from dayjob.sandbox.embedded.cgroups import available
from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.layers import LayerStore
from dayjob.sandbox.sandbox import Capabilities, SandboxError


class Site:
    """Makes embedded sandboxes for this process. Use as `async with Site(cache) as site`."""

    def __init__(self, cache: Path) -> None:
        self.identity = of_this_user()
        self.layers = LayerStore(cache, self.identity)
        self.warden = Warden()
        self.capabilities = capabilities()

    async def __aenter__(self) -> Site:
        bwrap = shutil.which("bwrap")
        if bwrap is None:
            raise SandboxError("bubblewrap is not installed; install it with: apt-get install bubblewrap")
        self.bwrap = bwrap
        await asyncio.to_thread(self._sweep)
        await self.warden.__aenter__()
        return self

    async def __aexit__(self, *about: object) -> None:
        await self.warden.__aexit__(*about)

    def _sweep(self) -> None:
        live.sweep()
        self.layers.sweep()

    async def base(self) -> Image:
        """The image of a task whose Dockerfile adds nothing."""
        key = await asyncio.to_thread(base_layer, self.layers, self.identity)
        return Image(key, (self.layers.path(key),), tuple(host_system()))


def capabilities() -> Capabilities:
    """What rooms can promise on this machine."""
    groups = available()
    how = f"control groups v{groups.version}" if groups else None
    notes = () if groups else (groups.reason,)
    try:
        filtered = bool(seccomp.program())
    except LookupError as error:
        filtered, notes = False, (*notes, str(error))
    separate = of_this_user().separate
    if not separate:
        notes = (
            *notes,
            "run by an ordinary user: examinee and grader are both this user outside, in separate namespaces",
        )
    return Capabilities(
        name="embedded",
        memory=how or "per process (RLIMIT_AS)",
        processes=how or "per user namespace (RLIMIT_NPROC)",
        cpu=how,
        disk="in memory, size-limited (tmpfs)",
        file="RLIMIT_FSIZE",
        separate_uid=separate,
        writable_system=False,
        egress=("none",),
        snapshot=True,
        filter=filtered,
        notes=notes,
    )
