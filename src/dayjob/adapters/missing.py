"""The sentence of an adapter whose package is not here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Around an adapter's imports. `extra` is the extra of ours that brings what it needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "dayjob").partition(".")[0] == "dayjob":
            raise
        raise ModuleNotFoundError(
            f"This adapter needs '{error.name}', which is not installed; run: pip install 'dayjob[{extra}]'",
            name=error.name,
        ) from None
