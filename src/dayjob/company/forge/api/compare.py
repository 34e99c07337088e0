"""Two commits side by side."""

from __future__ import annotations

import asyncio
from typing import Any

import pygit2

from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import get
from dayjob.company.forge.errors import not_found
from dayjob.company.forge.git import differences, reading
from dayjob.company.forge.shapes import repository as shape


@get("/projects/{id}/repository/compare")
async def compare(call: Call) -> Any:
    project, repo = code.repository(call)
    call.need("from", "to")
    straight = bool(call.boolean("straight", False))
    sides = []
    for name in ("from", "to"):
        found = reading.resolve(repo, call.filled(name))
        if found is None:
            raise not_found("Ref")
        sides.append(str(found.id))
    start, end = sides
    base = start if straight else reading.merge_base(repo, start, end)
    folder = repo.path

    def find() -> tuple[list[dict[str, Any]], list[str]]:
        own = pygit2.Repository(folder)
        old, new = reading.commit_of(own, base), reading.commit_of(own, end)
        assert new is not None
        commits = [str(one.id) for one in reversed(reading.commits_between(own, base if not straight else start, end))]
        return differences.file_diffs(own, differences.diff_trees(own, old, new)), commits

    diffs, shas = await asyncio.to_thread(find)
    commits = [
        shape.commit(call, project, one) for one in (reading.commit_of(repo, sha) for sha in shas) if one is not None
    ]
    return {
        "commit": commits[-1] if commits else None,
        "commits": commits,
        "diffs": diffs,
        "compare_timeout": False,
        "compare_same_ref": start == end,
        "web_url": f"{call.base}/{project.full_path}/-/compare/{start}...{end}",
    }


@get("/projects/{id}/repository/changelog")
def changelog(call: Call) -> Any:
    project, repo = code.repository(call)
    version = call.filled("version")
    head = code.commit_at(call, project, repo, call.text("to"))
    base = reading.resolve(repo, call.text("from")) if call.text("from") else None
    sections: dict[str, list[str]] = {}
    for one in reading.commits_between(repo, str(base.id) if base else None, str(head.id)):
        kind = shape.trailers(reading.message_of(one)).get(call.text("trailer", "Changelog"))
        if kind:
            title = reading.message_of(one).split("\n", 1)[0]
            link = f"{project.full_path}@{one.id}"
            sections.setdefault(kind, []).append(f"- [{title}]({link})")
    body = "".join(
        f"\n### {kind} ({len(lines)} changes)\n\n" + "\n".join(lines) + "\n" for kind, lines in sections.items()
    )
    return {
        "notes": f"## {version} "
        f"({call.text('date') or call.store.now()[:10]})\n{body or chr(10) + 'No changes.' + chr(10)}"
    }
