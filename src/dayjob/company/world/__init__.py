"""A company written down as plain files, and what it is compiled to."""

from dayjob.company.world.files import Problem, Problems, WorldFiles
from dayjob.company.world.model import Person, World, WorldInfo, load_world
from dayjob.company.world.snapshot import Build, Snapshot, WorldError, build_snapshot
from dayjob.company.world.voices import Fact, Voice, read_about, read_facts, read_voice
from dayjob.company.world.yaml import Located

__all__ = [
    "Build",
    "Fact",
    "Located",
    "Person",
    "Problem",
    "Problems",
    "Snapshot",
    "Voice",
    "World",
    "WorldError",
    "WorldFiles",
    "WorldInfo",
    "build_snapshot",
    "load_world",
    "read_about",
    "read_facts",
    "read_voice",
]
