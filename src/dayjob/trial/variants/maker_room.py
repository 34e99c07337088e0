"""A room in which a family's programs run: no network, nothing of the host, the world's time standing still.

Whatever variant.py, build.py or a template does is bounded by the room's limits and ends with it.
"""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dayjob import clock_page, owned
from dayjob.sandbox.sandbox import MIB, Finished, Limits, Sandbox, SandboxError, Site
from dayjob.task.family import BUILD, VARIANT, Parts, Values, check_values, values_error
from dayjob.task.findings import TaskError
from dayjob.task.rules import Rule

DRAW_SECONDS = 10.0
MAKE_SECONDS = 60.0
LARGEST_MADE = 64 * MIB
MOST_FILES = 5000
LIMITS = Limits(
    memory=512 * MIB, disk=256 * MIB, file=LARGEST_MADE, processes=64, cpus=1.0, files=20_000, open_files=512
)

_PROGRAM = Path(__file__).with_name("in_room.py")
_LIBRARIES = ("jinja2", "markupsafe")
# A hash seed of its own for each of two drawings: sets have another order in each.
_HASH_SEEDS = ("1", "2")
_NO_TIME = datetime(2026, 1, 1, 9, tzinfo=UTC)
_RULES = {
    "draw": (Rule.FAMILY_DRAW, "Mend it, so that draw ends and returns the values"),
    "values": (Rule.FAMILY_VALUES, "Return a dictionary of JSON values, with the answer under 'key'"),
    "template": (Rule.TEMPLATE, "Mend the template, or have variant.py draw what it names"),
    "build": (Rule.FAMILY_BUILD, "Mend it: build(values, made, world) writes files below made"),
}


class MakerRoom:
    """One such room, with a family's programs in it."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def draw(self, seeds: Sequence[str | None]) -> list[Values]:
        """The values for each seed, drawn twice and compared; None stands for the canonical ones."""
        request = {"do": "draw", "seeds": list(seeds)}
        first, again = [await self._ask(request, VARIANT, DRAW_SECONDS, seed) for seed in _HASH_SEEDS]
        if not isinstance(first, list) or len(first) != len(seeds):
            raise values_error("draw gave no values")
        if first != again:
            raise TaskError(
                Rule.FAMILY_REPEAT,
                VARIANT,
                0,
                "drawn twice from the same seed, the values differ",
                "Take what is random from the argument of draw, and sort what comes from a set",
            )
        return [check_values(values) for values in first]

    async def make(self, values: Values, parts: Parts, into: Path) -> list[Path]:
        """Render the templates and call build.py; the files made, below `into`."""
        request = {"do": "make", "values": values, "templates": list(parts.templates), "build": parts.build}
        names = await self._ask(request, BUILD if parts.build else "a template", MAKE_SECONDS, "0")
        if len(names) > MOST_FILES:
            raise _wrong("build", BUILD, 0, f"it made {len(names)} files, and {MOST_FILES} are the most")
        await self._sandbox.get("/made", into, limit=LARGEST_MADE)
        made = into / "made"
        for name in names:
            path = made / name
            if path.is_symlink() or not path.is_file() or not path.resolve().is_relative_to(made.resolve()):
                raise _wrong(
                    "build", BUILD, 0, f"what it made is more than {LARGEST_MADE // MIB} MiB, or no file: {name}"
                )
        return [Path(name) for name in names]

    async def _ask(self, request: Mapping[str, Any], program: str, within: float, hash_seed: str) -> Any:
        done = await self._sandbox.exec(
            ["python_default", "-B", "/maker/in_room.py"],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONNOUSERSITE": "1", "TZ": "UTC", "HOME": "/tmp"},
            cwd="/tmp",
            user="root",
            stdin=json.dumps(request).encode(),
            within=within,
            keep=8 * MIB,
        )
        return _answer(done, program, within)


def _answer(done: Finished, program: str, within: float) -> Any:
    kind = "draw" if program == VARIANT else "build" if program == BUILD else "template"
    if done.timed_out:
        raise _wrong(kind, program, 0, f"it did not end within {within:g} s")
    try:
        answer = json.loads(done.stdout)
        if "done" in answer:
            return answer["done"]
        wrong = answer["wrong"]
        file, line, message = str(wrong["file"]), int(wrong["line"]), str(wrong["message"])
        rule = str(wrong["rule"])
    except (ValueError, KeyError, TypeError):
        raise _wrong(kind, program, 0, f"it ended with {done.exit_code} and gave nothing: {_last(done)}") from None
    raise _wrong(rule if rule in _RULES else kind, file, line, message)


def _last(done: Finished) -> str:
    lines = done.error_text.strip().splitlines()
    return lines[-1][:200] if lines else "it printed nothing"


def _wrong(kind: str, file: str, line: int, message: str) -> TaskError:
    rule, fix = _RULES[kind]
    return TaskError(rule, file, line, message.rstrip("."), fix)


@asynccontextmanager
async def maker_room(site: Site, folder: Path, parts: Parts, world: Path | None) -> AsyncIterator[MakerRoom]:
    """A room for the family in `folder`. `world`: its world's files, for build.py."""
    place = owned.folder("variant")
    image = (await site.build_plain((), within=600)).without_grading()
    page = place / "clock"
    clock_page.make(page)
    with page.open("r+b") as file:
        clock_page.ClockPage(file.fileno()).write(int(_now(world).timestamp()) * 10**9, stands=True)
    withheld = (*image.withheld, "/instruction/")
    room = site.sandbox(image, name="maker", kind="job", listen=None, limits=LIMITS, clock=page, withheld=withheld)
    try:
        await room.start()
        await room.unpack(_luggage(folder, parts, world if parts.build else None))
        yield MakerRoom(room)
    finally:
        await room.stop()
        shutil.rmtree(place, ignore_errors=True)


def _now(world: Path | None) -> datetime:
    """When the world begins: files that are made say this time."""
    if world is None:
        return _NO_TIME
    try:
        said = tomllib.loads((world / "world.toml").read_text("utf-8")).get("now")
    except (OSError, ValueError) as error:
        raise SandboxError(f"{world / 'world.toml'} cannot be read: {error}") from error
    return said if isinstance(said, datetime) and said.tzinfo is not None else _NO_TIME


def _luggage(folder: Path, parts: Parts, world: Path | None) -> io.BytesIO:
    """What the room is given, as an archive."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        tar.add(_PROGRAM, arcname="maker/in_room.py")
        if parts.templates:
            for name in _LIBRARIES:
                _add_library(tar, name)
        for name in (VARIANT, *([BUILD] if parts.build else []), *parts.templates):
            tar.add(folder / name, arcname=f"family/{name}")
        if parts.build:
            for name in parts.plain:
                tar.add(folder / name, arcname=f"family/{name}")
        if world is not None:
            tar.add(world, arcname="world")
    whole.seek(0)
    return whole


def _add_library(tar: tarfile.TarFile, name: str) -> None:
    found = find_spec(name)
    assert found is not None
    assert found.origin is not None
    home = Path(found.origin).parent
    for path in sorted(home.glob("*.py")):
        tar.add(path, arcname=f"maker/{name}/{path.name}")
