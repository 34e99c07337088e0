"""Where worlds are: a folder by path, or a name among the checkout's or the package's `worlds/`."""

from __future__ import annotations

from pathlib import Path

from dayjob.nearest import did_you_mean


class UnknownWorld(LookupError):
    """No such world; the sentence says where it was looked for."""


def worlds_folder() -> Path:
    """The worlds that come with dayjob: in the checkout when there is one, else inside the installed package."""
    package = Path(__file__).parents[2]
    checkout = package.parents[1] / "worlds"
    return checkout if checkout.is_dir() else package / "_data" / "worlds"


def world_names() -> list[str]:
    """Names of the worlds that come with dayjob."""
    return sorted(one.parent.name for one in worlds_folder().glob("*/world.toml"))


def find_world(name: str) -> Path:
    """The folder that `larkspur`, `worlds/larkspur` or any path with a world.toml means."""
    path = Path(name)
    if (path / "world.toml").is_file():
        return path
    ours = worlds_folder()
    if len(path.parts) == 1 and (ours / name / "world.toml").is_file():
        return ours / name
    names = world_names()
    raise UnknownWorld(
        f"There is no world '{name}': it is neither a folder with a world.toml nor one of {', '.join(names)}."
        f"{did_you_mean(name, names)}"
    )
