"""Commits, branches, tags and protections on the wire."""

from __future__ import annotations

from typing import Any

import pygit2

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.git import differences
from dayjob.company.forge.git.reading import message_of, signature_text, when
from dayjob.company.forge.rows.projects import Project, Protection
from dayjob.company.forge.store import access, pipelines, releases
from dayjob.company.forge.store.protection import rules

LEVEL_NAMES = {0: "No one", 30: "Developers + Maintainers", 40: "Maintainers", 50: "Owners", 60: "Admins"}


def commit(call: Call, project: Project, found: pygit2.Commit) -> dict[str, Any]:
    message = message_of(found)
    author, committer = signature_text(found.author), signature_text(found.committer)
    sha = str(found.id)
    return {
        "id": sha,
        "short_id": sha[:8],
        "created_at": when(found.committer),
        "parent_ids": [str(one) for one in found.parent_ids],
        "title": message.split("\n", 1)[0],
        "message": message,
        "author_name": author[0],
        "author_email": author[1],
        "authored_date": when(found.author),
        "committer_name": committer[0],
        "committer_email": committer[1],
        "committed_date": when(found.committer),
        "trailers": trailers(message),
        "extended_trailers": {name: [value] for name, value in trailers(message).items()},
        "web_url": f"{call.base}/{project.full_path}/-/commit/{sha}",
    }


def trailers(message: str) -> dict[str, str]:
    """`Signed-off-by: …` and the like in the last paragraph."""
    paragraphs = message.rstrip().split("\n\n")
    if len(paragraphs) < 2:
        return {}
    found = {}
    for line in paragraphs[-1].split("\n"):
        name, colon, value = line.partition(": ")
        if not colon or not name.replace("-", "").isalnum():
            return {}
        found[name] = value
    return found


def commit_detail(
    call: Call, project: Project, repo: pygit2.Repository, found: pygit2.Commit, *, stats: bool = True
) -> dict[str, Any]:
    answer = commit(call, project, found)
    if stats:
        before = found.parents[0] if found.parents else None
        added, removed = differences.totals(repo, differences.diff_trees(repo, before, found))
        answer["stats"] = {"additions": added, "deletions": removed, "total": added + removed}
    latest = pipelines.latest_of_commit(call.store, project, str(found.id))
    answer["status"] = latest.status if latest else None
    answer["project_id"] = project.id
    answer["last_pipeline"] = (
        {
            "id": latest.id,
            "iid": latest.iid,
            "project_id": project.id,
            "sha": latest.sha,
            "ref": latest.ref,
            "status": latest.status,
            "source": latest.source,
            "created_at": latest.created_at,
            "updated_at": latest.updated_at,
            "web_url": f"{call.base}/{project.full_path}/-/pipelines/{latest.id}",
        }
        if latest
        else None
    )
    return answer


def branch(call: Call, project: Project, name: str, found: pygit2.Commit, merged: bool = False) -> dict[str, Any]:
    covering = rules(call.store, project, "branch", name)
    level = access.project_level(call.store, call.user, project)
    return {
        "name": name,
        "commit": commit(call, project, found),
        "merged": merged,
        "protected": bool(covering),
        "developers_can_push": any(rule.push_level == 30 for rule in covering),
        "developers_can_merge": any(rule.merge_level == 30 for rule in covering),
        "can_push": level >= 30 and (not covering or any(0 < rule.push_level <= level for rule in covering)),
        "default": name == project.default_branch,
        "web_url": f"{call.base}/{project.full_path}/-/tree/{name}",
    }


def tag(call: Call, project: Project, repo: pygit2.Repository, name: str, sha: str) -> dict[str, Any]:
    target = repo[sha]
    release = releases.of_tag(call.store, project, name)
    found = target.peel(pygit2.Commit)
    annotated = isinstance(target, pygit2.Tag)
    return {
        "name": name,
        "message": target.message.rstrip("\n") if isinstance(target, pygit2.Tag) and target.message else "",
        "target": sha,
        "commit": commit(call, project, found),
        "release": {"tag_name": release.tag_name, "description": release.description} if release else None,
        "protected": bool(rules(call.store, project, "tag", name)),
        "created_at": when(target.tagger) if isinstance(target, pygit2.Tag) and annotated and target.tagger else None,
    }


def level(number: int, row_id: int) -> dict[str, Any]:
    return {
        "id": row_id,
        "access_level": number,
        "access_level_description": LEVEL_NAMES.get(number, str(number)),
        "deploy_key_id": None,
        "user_id": None,
        "group_id": None,
    }


def protected_branch(rule: Protection) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": rule.name,
        "push_access_levels": [level(rule.push_level, rule.id)],
        "merge_access_levels": [level(rule.merge_level, rule.id)],
        "allow_force_push": bool(rule.allow_force_push),
        "unprotect_access_levels": [],
        "code_owner_approval_required": False,
        "inherited": False,
    }


def protected_tag(rule: Protection) -> dict[str, Any]:
    return {"name": rule.name, "create_access_levels": [level(rule.push_level, rule.id)]}
