"""The forge's part of a world: read from files, checked, and compiled to the same bytes every time."""

from dayjob.company.forge.world.compiling import compile
from dayjob.company.forge.world.model import Section
from dayjob.company.forge.world.reading import load

__all__ = ["Section", "compile", "load"]
