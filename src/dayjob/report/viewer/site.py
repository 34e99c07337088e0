"""The viewer's pages as files: a static site that needs no server and runs no script of an examinee's either.

Every page is reached from the first one by links, so writing the site is following them.
"""

from __future__ import annotations

import posixpath
from pathlib import Path

from dayjob.report.viewer.index import Index
from dayjob.report.viewer.pages import Pages


class SiteError(Exception):
    """The site cannot be written there."""


def write_site(index: Index, out: Path) -> int:
    """Write every page below `out`; returns how many files there are."""
    if out.exists() and any(out.iterdir()) and not (out / "static" / "viewer.css").exists():
        raise SiteError(f"{out} holds something else than an exported site; name a new or empty folder")
    pages = Pages(index, static=True)
    waiting, known, written = ["index.html"], {"index.html"}, 0
    while waiting:
        path = waiting.pop()
        answer, links = pages.answer(path)
        if answer.status == 404:
            continue
        target = out / path
        if ".." in posixpath.normpath(path).split("/"):
            raise SiteError(f"{path} would leave {out}")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(answer.body)
        written += 1
        for link in sorted(links - known):
            known.add(link)
            waiting.append(link)
    pages.close()
    return written
