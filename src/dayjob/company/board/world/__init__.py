"""The board's part of a world: read from files, checked, and compiled to the same bytes every time."""

from dayjob.company.board.world.compiling import compile
from dayjob.company.board.world.model import Section
from dayjob.company.board.world.reading import load

__all__ = ["Section", "compile", "load"]
