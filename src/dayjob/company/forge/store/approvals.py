"""Approvals of merge requests: who may give one, which rules ask for them, and whose approval counts for which rule.

The API, the pages, quick actions, merging and pushes all ask here.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pygit2.enums import SortMode

from dayjob.company.forge.errors import forbidden, invalid, not_found
from dayjob.company.forge.git.reading import log
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, notes
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed, placeholders

REGULAR, ANY_APPROVER = "regular", "any_approver"
MOST_REQUIRED = 100


@dataclass(frozen=True, slots=True)
class Rule:
    """So many approvals by the people it names and the members of its groups; by any developer if `any_approver`."""

    id: int | None
    """None for the number that the project's own settings ask for."""
    name: str
    approvals_required: int
    user_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    rule_type: str = REGULAR
    project_rule_id: int | None = None
    """Of a merge request's rule: the rule of the project that it takes the place of."""

    @property
    def for_anybody(self) -> bool:
        return self.rule_type == ANY_APPROVER


@dataclass(frozen=True, slots=True)
class RuleState:
    """A rule as it stands for one merge request. A rule for anybody names no approvers."""

    rule: Rule
    approvers: tuple[int, ...]
    approved_by: tuple[int, ...]

    @property
    def invalid(self) -> bool:
        """Whether it asks for more than the people who could approve: then it does not keep anybody from merging."""
        return not self.rule.for_anybody and len(self.approvers) < self.rule.approvals_required

    @property
    def left(self) -> int:
        missing = max(0, self.rule.approvals_required - len(self.approved_by))
        if self.rule.for_anybody:
            return missing
        return min(missing, len(self.approvers) - len(self.approved_by))


@dataclass(frozen=True, slots=True)
class ApprovalState:
    """What the rules of a merge request ask for, and what was given."""

    rules: tuple[RuleState, ...]
    given: tuple[tuple[int, str], ...]
    """Who approved and when, in their order."""

    @property
    def required(self) -> int:
        return sum(one.rule.approvals_required for one in self.rules)

    @property
    def left(self) -> int:
        return sum(one.left for one in self.rules)


# -- the state of a merge request --------------------------------------------------------------------------------


def state_of(store: Store, project: Project, request: MergeRequest) -> ApprovalState:
    given = _given(store, [request]).get(request.id, ())
    rules = rules_for(store, project, request)
    if not rules:
        return ApprovalState((), given)
    users = [user_id for user_id, _ in given]
    approvers = {rule: named_approvers(store, project, rule) for rule in rules}
    kept_out = _kept_out(store, project, request, {*users, *(user_id for ids in approvers.values() for user_id in ids)})
    return ApprovalState(tuple(_state(rule, approvers[rule], users, kept_out) for rule in rules), given)


def lacking(store: Store, projects: Mapping[int, Project], requests: Sequence[MergeRequest]) -> set[int]:
    """The ids of those merge requests that wait for approvals. Their projects are at hand."""
    rules = _rules_for_all(store, projects, requests)
    ruled = [request for request in requests if rules[request.id]]
    given = _given(store, ruled)
    named: dict[tuple[int, Rule], list[int]] = {}
    for request in ruled:
        for rule in rules[request.id]:
            if (key := (request.project_id, rule)) not in named:
                named[key] = named_approvers(store, projects[request.project_id], rule)
    return {
        request.id
        for request in ruled
        if _lacks(
            store,
            projects[request.project_id],
            request,
            {rule: named[request.project_id, rule] for rule in rules[request.id]},
            [user_id for user_id, _ in given.get(request.id, ())],
        )
    }


def _lacks(
    store: Store, project: Project, request: MergeRequest, approvers: dict[Rule, list[int]], given: list[int]
) -> bool:
    """Its commits are walked only where it matters who made them: whom the settings keep out can take nothing away
    from what a rule for anybody lacks."""
    for_anybody = [rule for rule in approvers if rule.for_anybody]
    if any(_state(rule, [], given, ()).left for rule in for_anybody):
        return True
    people = {*given, *(user_id for ids in approvers.values() for user_id in ids)}
    kept_out = _kept_out(store, project, request, people)
    return any(_state(rule, named, given, kept_out).left for rule, named in approvers.items())


def _given(store: Store, requests: Sequence[MergeRequest]) -> dict[int, tuple[tuple[int, str], ...]]:
    """Who approved each and when, in their order."""
    rows = store.db.execute(
        "SELECT merge_request_id, user_id, created_at FROM approvals WHERE merge_request_id IN "
        f"({placeholders(requests)}) ORDER BY id",
        tuple(request.id for request in requests),
    )
    given: dict[int, tuple[tuple[int, str], ...]] = {}
    for request_id, user_id, at in rows:
        given[request_id] = (*given.get(request_id, ()), (user_id, at))
    return given


def _state(rule: Rule, named: Sequence[int], given: Sequence[int], kept_out: Collection[int]) -> RuleState:
    if rule.for_anybody:
        return RuleState(rule, (), tuple(user_id for user_id in given if user_id not in kept_out))
    approvers = tuple(user_id for user_id in named if user_id not in kept_out)
    return RuleState(rule, approvers, tuple(user_id for user_id in given if user_id in approvers))


def named_approvers(store: Store, project: Project, rule: Rule) -> list[int]:
    """The people a rule names and the direct members of its groups, who are reporters of the project or more."""
    if not rule.user_ids and not rule.group_ids:
        return []
    marks = [placeholders(ids) for ids in (rule.user_ids, rule.group_ids)]
    people = store.all(
        User,
        f"state='active' AND (id IN ({marks[0]}) OR id IN (SELECT user_id FROM live_members WHERE "
        f"source_type='Namespace' AND source_id IN ({marks[1]}))) ORDER BY id",
        *rule.user_ids,
        *rule.group_ids,
    )
    return [user.id for user in people if access.project_level(store, user, project) >= access.REPORTER]


def _kept_out(store: Store, project: Project, request: MergeRequest, people: Collection[int]) -> set[int]:
    """Those of these people whose approval the settings forbid: the author, and everybody with a commit in it."""
    kept_out: set[int] = set()
    if not project.options["merge_requests_author_approval"]:
        kept_out.add(request.author_id)
    if project.options["merge_requests_disable_committers_approval"]:
        kept_out |= _committers(store, project, request, people)
    return kept_out


def _committers(store: Store, project: Project, request: MergeRequest, people: Collection[int]) -> set[int]:
    """Those of these people who made a commit of it. The walk ends with its commits or once everybody is found."""
    wanted, found = set(people), set[int]()
    if not request.head_sha or not wanted:
        return found
    marks = placeholders(wanted)
    known = "SELECT id, email FROM users UNION SELECT user_id, email FROM emails"
    addresses: dict[str, set[int]] = {}
    for user_id, email in store.db.execute(f"SELECT id, lower(email) FROM ({known}) WHERE id IN ({marks})", (*wanted,)):
        addresses.setdefault(email, set()).add(user_id)
    repo = store.repos.open(project.id)
    hidden = [request.base_sha] if request.base_sha else []
    for commit in log(repo, [request.head_sha], hide=hidden, order=SortMode.NONE):
        for signature in (commit.author, commit.committer):
            found |= addresses.get(signature.email.lower(), set())
        if found == wanted:
            break
    return found


# -- approving ---------------------------------------------------------------------------------------------------


def may_approve(store: Store, user: User, project: Project, request: MergeRequest) -> bool:
    """Once, while it is open: whoever a rule names; other developers unless only named people are waited for."""
    if request.state != "opened" or user.id in _kept_out(store, project, request, [user.id]):
        return False
    state = state_of(store, project, request)
    if user.id in (user_id for user_id, _ in state.given):
        return False
    if any(user.id in one.approvers for one in state.rules):
        return True
    named_only = not any(one.rule.for_anybody for one in state.rules) and state.left > 0
    return access.project_level(store, user, project) >= access.DEVELOPER and not named_only


def approve(store: Store, user: User, project: Project, request: MergeRequest) -> None:
    store.insert("approvals", merge_request_id=request.id, user_id=user.id, created_at=store.now())
    notes.system(store, user, "MergeRequest", request.id, project.id, "approved this merge request")


def unapprove(store: Store, user: User, project: Project, request: MergeRequest) -> bool:
    """Whether there was an approval to take back."""
    gone = store.db.execute("DELETE FROM approvals WHERE merge_request_id=? AND user_id=?", (request.id, user.id))
    if gone.rowcount:
        notes.system(store, user, "MergeRequest", request.id, project.id, "unapproved this merge request")
    return bool(gone.rowcount)


def reset(store: Store, request: MergeRequest) -> None:
    store.db.execute("DELETE FROM approvals WHERE merge_request_id=?", (request.id,))


def pushed(store: Store, project: Project, request: MergeRequest) -> None:
    """Its branch has a new head."""
    if project.options["reset_approvals_on_push"]:
        reset(store, request)


# -- rules -------------------------------------------------------------------------------------------------------


def rules_of(store: Store, scope: str, owner: int) -> list[Rule]:
    """The rules kept for a project or a merge request (`scope`)."""
    return _rules_of_all(store, scope, [owner]).get(owner, [])


def _rules_of_all(store: Store, scope: str, owners: Collection[int]) -> dict[int, list[Rule]]:
    rows = store.db.execute(
        "SELECT scope_id, id, body FROM records WHERE kind='approval_rule' AND scope=? AND scope_id IN "
        f"({placeholders(owners)}) ORDER BY id",
        (scope, *owners),
    )
    rules: dict[int, list[Rule]] = {}
    for owner, row_id, body in rows:
        rules.setdefault(owner, []).append(_read(row_id, body))
    return rules


def rules_for(store: Store, project: Project, request: MergeRequest) -> list[Rule]:
    """Its own rules, those of the project that none of these takes the place of, and the project's own number."""
    return _rules_for_all(store, {project.id: project}, [request])[request.id]


def _rules_for_all(
    store: Store, projects: Mapping[int, Project], requests: Sequence[MergeRequest]
) -> dict[int, list[Rule]]:
    of_projects = _rules_of_all(store, "project", {request.project_id for request in requests})
    of_requests = _rules_of_all(store, "merge_request", [request.id for request in requests])
    numbers = {key: int(project.options["approvals_before_merge"] or 0) for key, project in projects.items()}
    found: dict[int, list[Rule]] = {}
    for request in requests:
        own = of_requests.get(request.id, [])
        replaced = {rule.project_rule_id for rule in own}
        rules = [rule for rule in of_projects.get(request.project_id, []) if rule.id not in replaced] + own
        number = numbers[request.project_id]
        if number and not any(rule.for_anybody for rule in rules):
            rules.append(Rule(None, "All Members", number, rule_type=ANY_APPROVER))
        found[request.id] = rules
    return found


def find_rule(store: Store, scope: str, owner: int, rule_id: int) -> Rule:
    for rule in rules_of(store, scope, owner):
        if rule.id == rule_id:
            return rule
    raise not_found()


def check_overriding(project: Project) -> None:
    """Refuse a change of one merge request's rules where the project forbids them."""
    if project.options["disable_overriding_approvers_per_merge_request"]:
        raise forbidden()


def add_rule(store: Store, scope: str, owner: int, rule: Rule) -> Rule:
    _check(store, scope, owner, rule)
    now = store.now()
    row_id = store.insert(
        "records", kind="approval_rule", scope=scope, scope_id=owner, name=rule.name, body=_written(rule),
        created_at=now, updated_at=now,
    )  # fmt: skip
    return find_rule(store, scope, owner, row_id)


def change_rule(store: Store, scope: str, owner: int, rule: Rule) -> Rule:
    assert rule.id is not None
    _check(store, scope, owner, rule)
    store.update("records", rule.id, name=rule.name, body=_written(rule), updated_at=store.now())
    return rule


def remove_rule(store: Store, rule: Rule) -> None:
    assert rule.id is not None
    store.delete("records", rule.id)


def _check(store: Store, scope: str, owner: int, rule: Rule) -> None:
    if not 0 <= rule.approvals_required <= MOST_REQUIRED:
        edge = "greater than or equal to 0" if rule.approvals_required < 0 else f"less than or equal to {MOST_REQUIRED}"
        raise invalid(approvals_required=[f"must be {edge}"])
    if rule.rule_type not in (REGULAR, ANY_APPROVER):
        raise invalid(rule_type=["does not have a valid value"])
    others = [one for one in rules_of(store, scope, owner) if one.id != rule.id]
    if any(one.name == rule.name for one in others):
        raise invalid(name=["has already been taken"])
    if rule.for_anybody and any(one.for_anybody for one in others):
        raise invalid(rule_type=[f"any-approver for the {scope.replace('_', ' ')} already exists"])


def _read(row_id: int, body: str) -> Rule:
    known: dict[str, Any] = json.loads(body)
    people, groups = tuple(known.pop("user_ids")), tuple(known.pop("group_ids"))
    return Rule(id=row_id, user_ids=people, group_ids=groups, **known)


def _written(rule: Rule) -> str:
    return packed(
        {
            "name": rule.name,
            "approvals_required": rule.approvals_required,
            "user_ids": rule.user_ids,
            "group_ids": rule.group_ids,
            "rule_type": rule.rule_type,
            "project_rule_id": rule.project_rule_id,
        }
    )
