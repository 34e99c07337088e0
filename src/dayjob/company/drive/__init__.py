"""The drive: a company's files, on ownCloud's wire.

`Drive` is found when it is asked for, so that the programs that read documents start without the rest of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

__all__ = ["Drive"]


def __getattr__(name: str) -> Any:
    if name != "Drive":
        raise AttributeError(name)
    from dayjob.company.drive.service import Drive

    return Drive
