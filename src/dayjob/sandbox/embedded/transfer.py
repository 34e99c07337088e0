"""The host's ends of a tree stream: send bytes, a file or a folder; receive into a folder. Blocking: for threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from dayjob.sandbox.embedded import tree


def send_to(out: int, content: bytes | Path, name: str, mode: int) -> None:
    """Write a stream with one tree called `name`, and close it."""
    try:
        if isinstance(content, bytes):
            tree.send_content(out, content, name, mode)
        else:
            tree.send(out, [(str(content), name)])
    except BrokenPipeError:
        pass  # the other side gave up, and its answer says why
    finally:
        os.close(out)


def receive_from(
    source: int,
    into: Path,
    owner: Callable[[int, int], tuple[int, int]] | None,
    link: Callable[[str, str], str] | None,
) -> list[str]:
    """Write the stream below `into`, making parents as needed."""
    with open(source, "rb") as stream:
        into.mkdir(parents=True, exist_ok=True)
        return tree.receive(stream, str(into), owner=owner, link=link)
