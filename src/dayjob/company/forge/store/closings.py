"""Which issues a merge request speaks of, and which of them it closes when it is merged."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dayjob.company.forge.rows.items import Issue, MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import visibility
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


def replace(store: Store, request: MergeRequest, closes: Mapping[int, bool]) -> None:
    """The issues a merge request speaks of, by id, each with whether it closes it: these and no others."""
    store.db.execute("DELETE FROM closings WHERE merge_request_id=?", (request.id,))
    for issue_id, closed in closes.items():
        store.db.execute("INSERT INTO closings VALUES (?,?,?)", (request.id, issue_id, int(closed)))


def closed_issue_ids(store: Store, request: MergeRequest) -> list[int]:
    return store.values("SELECT issue_id FROM closings WHERE merge_request_id=? AND closes=1", request.id)


def issues(store: Store, user: User | None, request: MergeRequest, *, closed: bool) -> list[Issue]:
    """Those of a merge request that somebody may see; all it speaks of, or only those it closes."""
    those = f"SELECT issue_id FROM closings WHERE merge_request_id=? {'AND closes=1' if closed else ''}"
    return store.all(Issue, f"id IN ({those}) AND {visibility.issues(user, 'issues')} ORDER BY id", request.id)


def requests(store: Store, user: User | None, issue: Issue, *, closing: bool) -> list[MergeRequest]:
    """The merge requests that speak of an issue and that somebody may see; all of them, or only those that close it."""
    those = f"SELECT merge_request_id FROM closings WHERE issue_id=? {'AND closes=1' if closing else ''}"
    seen = visibility.requests(user, "merge_requests")
    return store.all(MergeRequest, f"id IN ({those}) AND {seen} ORDER BY id", issue.id)


def request_counts(store: Store, issue_ids: Collection[int]) -> dict[int, int]:
    """How many merge requests speak of each issue; none of those that no one speaks of."""
    marks = placeholders(issue_ids)
    rows = store.db.execute(
        f"SELECT issue_id, count(*) FROM closings WHERE issue_id IN ({marks}) GROUP BY issue_id", tuple(issue_ids)
    )
    return dict(rows.fetchall())
