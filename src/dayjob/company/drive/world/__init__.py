"""The drive's part of a world: read from files, checked, and compiled to the same bytes every time."""

from dayjob.company.drive.world.compiling import compile
from dayjob.company.drive.world.model import Section
from dayjob.company.drive.world.reading import load

__all__ = ["Section", "compile", "load"]
