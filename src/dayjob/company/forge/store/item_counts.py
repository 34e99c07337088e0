"""How many issues and merge requests there are: with a label, in a milestone, in a state, of somebody."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import visibility
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.rows import placeholders


@dataclass(frozen=True, slots=True)
class Carriers:
    """How many issues and merge requests carry a label."""

    open_issues: int = 0
    closed_issues: int = 0
    open_merge_requests: int = 0


def carriers(
    store: Store, user: User | None, label_ids: Collection[int], project: Project | None
) -> dict[int, Carriers]:
    """Of each label what somebody may see of those that carry it, in one project or everywhere."""
    marks = placeholders(label_ids)
    within = f" AND t.project_id={project.id}" if project else ""

    def counted(kind: str, seen: str) -> dict[int, tuple[int, int]]:
        rows = store.db.execute(
            f"SELECT k.label_id, sum(t.state='opened'), sum(t.state='closed') FROM label_links k JOIN {TABLES[kind]} t "
            f"ON t.id=k.item_id WHERE k.label_id IN ({marks}) AND k.item_type=? AND {seen}{within} GROUP BY k.label_id",
            (*label_ids, kind),
        )
        return {label_id: (opened, closed) for label_id, opened, closed in rows}

    issues = counted("Issue", visibility.issues(user))
    requests = counted("MergeRequest", visibility.requests(user))
    return {
        label_id: Carriers(*issues.get(label_id, (0, 0)), requests.get(label_id, (0, 0))[0]) for label_id in label_ids
    }


def milestone_progress(store: Store, user: User | None, milestone_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """(closed, all) issues of each milestone that has any for somebody."""
    rows = store.db.execute(
        "SELECT milestone_id, sum(state='closed'), count(*) FROM issues t WHERE milestone_id IN "
        f"({placeholders(milestone_ids)}) AND {visibility.issues(user)} GROUP BY milestone_id",
        tuple(milestone_ids),
    )
    return {milestone_id: (closed, total) for milestone_id, closed, total in rows}


def requests_by_state(store: Store, project: Project) -> dict[str, int]:
    """A project's open, merged and closed merge requests, and all of these."""
    rows = store.db.execute(
        "SELECT state, count(*) FROM merge_requests WHERE project_id=? GROUP BY state", (project.id,)
    ).fetchall()
    counts = {state: dict(rows).get(state, 0) for state in ("opened", "merged", "closed")}
    return {**counts, "all": sum(counts.values())}


def open_requests(store: Store, project: Project) -> int:
    count: int = store.value("SELECT count(*) FROM merge_requests WHERE project_id=? AND state='opened'", project.id)
    return count


def open_items(store: Store, user: User, kind: str, role: str | None = None) -> int:
    """How many open issues or merge requests (`kind`) name somebody: as assignee, as reviewer, or as either."""
    condition, args = ("p.role=?", (role,)) if role else ("1", ())
    count: int = store.value(
        f"SELECT count(DISTINCT t.id) FROM {TABLES[kind]} t JOIN people p ON p.item_type=? AND p.item_id=t.id "
        f"WHERE p.user_id=? AND t.state='opened' AND {condition}",
        kind, user.id, *args,
    )  # fmt: skip
    return count
