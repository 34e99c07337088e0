"""The host's ends of a tree stream: send bytes, a file or a folder; receive into a folder. Blocking: for threads."""

from __future__ import annotations

import os
from pathlib import Path

from dayjob.sandbox.embedded import tree
from dayjob.sandbox.embedded.receiving import Link, Owner, Received, receive


def send_to(out: int, content: bytes | Path, name: str, mode: int) -> None:
    """Write a stream with one tree called `name`, and close it."""
    try:
        if isinstance(content, bytes):
            tree.send_content(out, content, name, mode)
        else:
            tree.send(out, [(str(content), name)])
    except tree.Gone:
        pass  # the other side gave up, and its answer says why
    finally:
        os.close(out)


def receive_from(source: int, into: Path, owner: Owner | None, link: Link | None) -> Received:
    """Write the stream below `into`, making parents as needed."""
    with open(source, "rb") as stream:
        return receive(stream, str(into), owner=owner, link=link)
