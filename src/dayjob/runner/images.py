"""What `image:` means in a trial: a table of the world, from names to what is laid on the base.

An image is made when a job first needs it, in layers that every trial shares; a name that the table does not have is
refused, as a registry refuses an image that it does not hold.
"""

from __future__ import annotations

import asyncio
import fnmatch
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dayjob.sandbox.sandbox import BuildError, BuiltImage, SandboxError, Site
from dayjob.task.dockerfile import Instruction

_BUILD_SECONDS = 900.0


class NoImage(Exception):
    """A sentence for the job's log: there is no such image, or it cannot be made here."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One row of the table. Names are patterns (`python:3.13*`); what it needs beyond the base is installed."""

    names: tuple[str, ...]
    packages: tuple[str, ...] = ()
    """Of Debian."""
    run: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    def instructions(self) -> list[Instruction]:
        found = []
        if self.packages:
            install = f"apt-get install -y -qq --no-install-recommends {shlex.join(self.packages)}"
            line = f"apt-get update -qq && {install} > /dev/null && rm -rf /var/lib/apt/lists/*"
            found.append(Instruction("RUN", line, 0))
        found += [Instruction("ENV", f"{name}={shlex.quote(value)}", 0) for name, value in self.env.items()]
        return found + [Instruction("RUN", line, 0) for line in self.run]


class Images:
    """The images of one world on one site."""

    def __init__(self, site: Site, table: Sequence[Recipe], default: str) -> None:
        self.site = site
        self.table = table
        self.default = default
        """The image of a job that names none."""
        self._making: dict[int, asyncio.Task[BuiltImage]] = {}

    async def get(self, name: str) -> BuiltImage:
        """The image of this name, made now if it is needed for the first time. Raises `NoImage`."""
        number = self._row(name)
        if number is None:
            raise NoImage(
                f'failed to pull image "{name}": manifest unknown: there is no such image in the table of this company'
            )
        making = self._making.get(number)
        if making is None or (making.done() and (making.cancelled() or making.exception() is not None)):
            making = self._making[number] = asyncio.create_task(self._make(self.table[number]))
        try:
            return await asyncio.shield(making)
        except (SandboxError, OSError) as error:
            # What the world's table asks for cannot be had on this machine, whoever asks.
            log = error.log if isinstance(error, BuildError) else ""
            last = next((f": {line.strip()}" for line in reversed(log.splitlines()) if line.strip()), "")
            raise NoImage(f'failed to prepare image "{name}" on this machine: {error}{last}'[:2000]) from error

    def _row(self, name: str) -> int | None:
        wanted = normal(name)
        for number, one in enumerate(self.table):
            if any(fnmatch.fnmatchcase(wanted, normal(pattern)) for pattern in one.names):
                return number
        return None

    async def _make(self, recipe: Recipe) -> BuiltImage:
        image = await self.site.build_plain(recipe.instructions(), within=_BUILD_SECONDS)
        return image.without_grading()

    async def close(self) -> None:
        """Stop making what nobody waits for any more."""
        for making in self._making.values():
            making.cancel()
        await asyncio.gather(*self._making.values(), return_exceptions=True)


def normal(name: str) -> str:
    """A name as docker reads it: without its default registry, with its default tag."""
    name = name.strip().removeprefix("docker.io/").removeprefix("library/")
    last = name.rpartition("/")[2]
    return name if ":" in last or "@" in last or "*" in last else f"{name}:latest"
