"""A company written down as plain files, and what it is compiled to."""

from dayjob.company.world.files import Problem, Problems, WorldFiles
from dayjob.company.world.model import Person, World, WorldInfo, load_world
from dayjob.company.world.snapshot import Build, Snapshot, WorldError, build_snapshot
from dayjob.company.world.yaml import Located

__all__ = [
    "Build",
    "Located",
    "Person",
    "Problem",
    "Problems",
    "Snapshot",
    "World",
    "WorldError",
    "WorldFiles",
    "WorldInfo",
    "build_snapshot",
    "load_world",
]
