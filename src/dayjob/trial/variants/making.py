"""Variants as ordinary task folders in the cache, named by what they are made of, so that nothing else has to know.

A making happens beside its final place and is renamed into it when whole: a kill in the middle leaves nothing that
could be taken for a variant, and two makings at once end with one.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from dayjob import owned
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.company.world.snapshot import default_cache
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import Site
from dayjob.task.family import BUILD, VARIANT, is_family, parts_of, variant_module
from dayjob.task.findings import TaskError
from dayjob.task.model import load_settings
from dayjob.task.rules import Rule
from dayjob.trial.ingredients import digest
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants.key import VariantKey
from dayjob.trial.variants.maker_room import maker_room

_KEPT_AS = "variants"


class PrivateVariant(Exception):
    """A variant of a private set that is not here and cannot be made without the key."""

    def __init__(self, variant: Variant) -> None:
        super().__init__(
            f"variant {variant.number} of {variant.family.name} belongs to the private set {variant.set}; "
            "give its key with --variant-key FILE"
        )


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant of a family: which, of which set, in which world."""

    family: Path
    number: int = 0
    set: str | None = None
    """The fingerprint of the key it is drawn with; None: the public set, which everybody can make."""
    world: str | None = None
    """Another world than the family's own."""

    def key(self) -> str:
        """The name of the made folder: everything that it depends on, but for the secret itself."""
        about = [maker_version(), digest_of(self.family), self.number, self.set]
        if (self.family / BUILD).exists():
            about.append(digest_of(self._world()))
        return hashlib.sha256(json.dumps(about).encode()).hexdigest()[:40]

    def found(self, cache: Path) -> Path | None:
        """The made folder, if it is in the cache."""
        made = cache / _KEPT_AS / self.key() / self.family.name
        return made if made.is_dir() else None

    def seed(self, key: VariantKey | None) -> str | None:
        """What it is drawn from; None for the canonical values."""
        if self.set is None:
            return f"variant {self.number}" if self.number else None
        if key is None or key.fingerprint != self.set:
            raise PrivateVariant(self)
        return key.seed(self.family.name, self.number)

    async def made(self, site: Site, cache: Path, key: VariantKey | None = None) -> Path:
        """The made folder, from the cache or made now. Raises `TaskError`, `PrivateVariant`, `SandboxError`."""
        if (found := self.found(cache)) is not None:
            return found
        seed = self.seed(key)
        try:
            return await self._make(site, cache, seed)
        except TaskError as error:
            raise (self._without_values(error) if self.set else error) from None

    async def made_again(self, site: Site, into: Path) -> Path:
        """A public variant made once more, apart from what the cache has: to see that the same comes of it."""
        return await self._make(site, into, self.seed(None))

    async def _make(self, site: Site, cache: Path, seed: str | None) -> Path:
        name, parts = self.family.name, parts_of(self.family)
        kept = owned.private_cache(cache, _KEPT_AS)
        target = kept / self.key()
        _sweep(kept)
        place = Path(tempfile.mkdtemp(dir=kept, prefix=owned.prefix("making")))
        try:
            async with maker_room(site, self.family, parts, self._world()) as room:
                (values,) = await room.draw([seed])
                made = await room.make(values, parts, place)
            whole = place / "whole"
            folder = whole / name
            _copy(self.family, parts.plain, folder)
            for path in made:
                if (folder / path).exists():
                    raise TaskError(
                        Rule.FAMILY_BUILD, BUILD, 0, f"it writes {path}, which is there already", "Write another file"
                    )
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                os.replace(place / "made" / path, folder / path)
            (folder / VARIANT).write_text(variant_module(values), "utf-8")
            whole.chmod(0o700)
            try:
                whole.rename(target)
            except OSError:
                if not target.is_dir():  # else another process was faster
                    raise
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return target / name

    def _world(self) -> Path:
        name = self.world or load_settings(self.family).world
        try:
            return find_world(name)
        except UnknownWorld as error:
            raise TaskError(Rule.UNKNOWN_WORLD, "task.toml", 0, str(error).rstrip("."), "Name another one") from error

    def _without_values(self, error: TaskError) -> TaskError:
        """The same fault without what it says about values that nobody is to know."""
        found = error.finding
        message = f"variant {self.number} of the private set {self.set} cannot be made"
        return TaskError(found.rule, found.file, found.line, message, f"See dayjob check {self.family.name}")


def variant_of_spec(spec: TrialSpec) -> Variant | None:
    """The variant a spec means; None when its task is an ordinary folder. A family without a number means 0."""
    path = Path(spec.task)
    return Variant(path, spec.variant or 0, spec.variant_set, spec.world) if is_family(path) else None


def found_folder(spec: TrialSpec, cache: Path | None = None) -> Path | None:
    """The folder of a spec's task as far as it is here: a made one, or what is no family; nothing is made."""
    variant = variant_of_spec(spec)
    try:
        return Path(spec.task) if variant is None else variant.found(cache or default_cache())
    except (TaskError, OSError):
        return None


def make_here(specs: Iterable[TrialSpec], key: VariantKey | None = None, cache: Path | None = None) -> list[Path]:
    """The folders of these specs' tasks, made where they are not in the cache. On a loop of its own: for commands."""
    place = cache or default_cache()
    wanted = [(spec, variant_of_spec(spec)) for spec in specs]

    async def missing() -> None:
        async with AsyncExitStack() as stack:
            sites: dict[str, Site] = {}
            for spec, variant in wanted:
                if variant is not None and variant.found(place) is None:
                    if spec.sandbox not in sites:
                        sites[spec.sandbox] = await stack.enter_async_context(make_site(spec.sandbox, place))
                    await variant.made(sites[spec.sandbox], place, key)

    if any(variant is not None and variant.found(place) is None for _, variant in wanted):
        asyncio.run(missing())
    found = [Path(spec.task) if variant is None else variant.found(place) for spec, variant in wanted]
    return [one for one in found if one is not None]


def _copy(family: Path, names: tuple[str, ...], folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(family / name, folder / name, follow_symlinks=False)


def _sweep(kept: Path) -> None:
    """Remove what makings that were killed have left."""
    for entry in os.scandir(kept):
        owner = owned.mark_in(entry.name)
        if owner is not None and owned.is_gone(owner):
            shutil.rmtree(entry.path, ignore_errors=True)


@functools.cache
def maker_version() -> str:
    """A hash of the code that makes: part of every made folder's name."""
    import jinja2

    whole = hashlib.sha256(jinja2.__version__.encode())
    package = Path(__file__).parents[2]
    for name in ("in_room", "maker_room", "making"):
        whole.update((package / "trial" / "variants" / f"{name}.py").read_bytes())
    for name in ("family", "base_packages"):
        whole.update((package / "task" / f"{name}.py").read_bytes())
    return whole.hexdigest()[:16]


_Marks = tuple[tuple[str, int, int, int, int], ...]
_digests: dict[Path, tuple[_Marks, str]] = {}


def digest_of(folder: Path) -> str:
    """A folder's digest, remembered as long as its files look the same."""
    marks = tuple(_marks(folder))
    known = _digests.get(folder)
    if known is None or known[0] != marks:
        known = _digests[folder] = (marks, digest(folder))
    return known[1]


def _marks(folder: Path) -> list[tuple[str, int, int, int, int]]:
    found = []
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            found += _marks(Path(entry.path)) if entry.name != "__pycache__" else []
        else:
            facts = entry.stat(follow_symlinks=False)
            found.append((entry.path, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns))
    return sorted(found)
