"""Which rooms may be graded by the warm interpreter (see `warm`), and the one this process keeps for them.

Only an image whose Python is exactly the base's: the system's interpreter, our packages, and nothing of the task's that
an import could find first. Any other image is graded by its own interpreter, started anew; and so is every image of an
ordinary user, who cannot start a program in the base and enter rooms from there.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Mapping
from pathlib import Path

from dayjob.sandbox.embedded.client import Warden
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.sandbox import SandboxError

# Where a task's own layers may have put something without touching what Python starts with.
_APART = frozenset({
    "utils", "instruction", "workspace", "npc", "home", "root", "tmp", "srv", "mnt", "opt", "var", "run",
})  # fmt: skip

# Settings that a program reads when it starts, and a forked one no more.
_READ_AT_START = ("LD_", "LC_", "LANG", "MALLOC_", "GLIBC_", "OPENSSL_")
_LANGUAGE = "C.UTF-8"
_READY = 30.0


class WarmGraders:
    """The warm interpreter of this process, started for the first room that may use it."""

    def __init__(self) -> None:
        self._warm: Warden | None = None
        self._loaded: frozenset[str] = frozenset()
        self.grading: Path | None = None
        """The layer whose grading set it has loaded."""
        self._starting = asyncio.Lock()
        self._failed = False

    async def stop(self) -> None:
        if self._warm is not None:
            await self._warm.__aexit__()
            self._warm = None

    async def of(self, image: Image, env: Mapping[str, str]) -> Warden | None:
        """The interpreter to grade a room of this image with this environment; None when it needs its own."""
        if os.geteuid() or any(name.startswith(_READ_AT_START) and env[name] != _LANGUAGE for name in env):
            return None
        async with self._starting:
            if self._warm is not None and self._warm.gone:
                await self.stop()
            if self._warm is None and not self._failed:
                await self._start(image)
        return self._warm if self._warm is not None and _plain(image.layers[1 : -image.below], self._loaded) else None

    async def _start(self, image: Image) -> None:
        warm = Warden("dayjob.sandbox.embedded.warm_root", env={"LANG": _LANGUAGE}, in_memory=True)
        await warm.__aenter__()
        layers = [*([image.grading] if image.grading else []), *image.layers[-image.below :]]
        try:
            async with asyncio.timeout(_READY):
                await warm.greet(layers=[str(one) for one in layers], system=image.system)
                facts = await warm.greet(utils=image.grading is not None)
        except (SandboxError, TimeoutError):
            # A system whose Python is too old for us still grades, with a fresh interpreter each time.
            self._failed = True
            await warm.__aexit__()
            return
        self._warm, self._loaded, self.grading = warm, frozenset(facts["loaded"]), image.grading


@functools.lru_cache(maxsize=1024)
def _plain(layers: tuple[Path, ...], loaded: frozenset[str]) -> bool:
    """Whether these layers of a task, between our own, leave every import as it is."""
    for layer in layers:
        if any(path.name not in _APART for path in layer.iterdir()):
            return False
        utils = layer / "utils"
        if utils.is_symlink() or (
            utils.is_dir() and any(path.name.partition(".")[0] in {*loaded, "dayjob"} for path in utils.iterdir())
        ):
            return False
    return True
