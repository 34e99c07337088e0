"""The rows of the forge's tables, as typed values."""

from __future__ import annotations

from dataclasses import dataclass

from dayjob.company.rows import Row


@dataclass(slots=True)
class ForgeRow(Row):
    """A row of the forge: every one has a number."""

    id: int
