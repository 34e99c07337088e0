"""Chat's part of a world: read from files, checked, and compiled to the same bytes every time."""

from dayjob.company.chat.world.compiling import compile
from dayjob.company.chat.world.model import Section
from dayjob.company.chat.world.reading import load

__all__ = ["Section", "compile", "load"]
