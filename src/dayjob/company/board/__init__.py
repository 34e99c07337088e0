"""The board: projects, work items, cycles and modules, on Plane's wire."""

from dayjob.company.board.service import Board

__all__ = ["Board"]
