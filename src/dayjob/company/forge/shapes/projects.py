"""Projects, groups and namespaces on the wire."""

from __future__ import annotations

import json
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.markdown import render
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.projects import FEATURES, Project
from dayjob.company.forge.shapes.users import avatar, basic
from dayjob.company.forge.store import access, groups, members, namespaces, shares, users, visibility
from dayjob.company.forge.store import projects as store_projects
from dayjob.company.forge.store.members import Source
from dayjob.company.forge.store.namespaces import VISIBILITY_NAMES


def namespace_brief(call: Call, space: Namespace) -> dict[str, Any]:
    group = space.kind == "group"
    return {
        "id": space.id,
        "name": space.name,
        "path": space.path,
        "kind": space.kind,
        "full_path": space.full_path,
        "parent_id": space.parent_id,
        "avatar_url": avatar(call, "group", space.id, space.avatar) if group else None,
        "web_url": f"{call.base}/groups/{space.full_path}" if group else f"{call.base}/{space.full_path}",
    }


def namespace(call: Call, space: Namespace) -> dict[str, Any]:
    found = namespace_brief(call, space)
    if space.kind == "group":
        found["members_count_with_descendants"] = members.count(call.store, space)
    found.update(
        billable_members_count=0,
        plan="default",
        trial=False,
        trial_ends_on=None,
        root_repository_size=0,
        projects_count=0,
    )
    return found


def spaced_name(call: Call, space: Namespace) -> str:
    """`Group / Subgroup`, as the full name spells it."""
    return " / ".join(namespaces.names(call.store, space))


def brief(call: Call, project: Project, space: Namespace) -> dict[str, Any]:
    """`simple=true`, and what others say about a project."""
    base = call.base
    host = base.partition("//")[2].partition(":")[0]
    topics = json.loads(project.topics)
    return {
        "id": project.id,
        "description": project.description,
        "name": project.name,
        "name_with_namespace": f"{spaced_name(call, space)} / {project.name}",
        "path": project.path,
        "path_with_namespace": project.full_path,
        "created_at": project.created_at,
        "default_branch": project.default_branch or ("main" if project.empty else None),
        "tag_list": topics,
        "topics": topics,
        "ssh_url_to_repo": f"git@{host}:{project.full_path}.git",
        "http_url_to_repo": f"{base}/{project.full_path}.git",
        "web_url": f"{base}/{project.full_path}",
        "readme_url": f"{base}/{project.full_path}/-/blob/{project.default_branch}/{project.readme}"
        if project.readme
        else None,
        "forks_count": project.forks_count,
        "avatar_url": avatar(call, "project", project.id, project.avatar),
        "star_count": project.star_count,
        "last_activity_at": project.last_activity_at,
        "visibility": VISIBILITY_NAMES[project.visibility],
        "namespace": namespace_brief(call, space),
    }


def project(call: Call, row: Project, space: Namespace | None = None, **asked: bool) -> dict[str, Any]:
    """The whole of a project. `asked` may be `statistics`, `permissions`, `license`."""
    space = space or namespaces.get(call.store, row.namespace_id)
    options = row.options
    api = f"{call.base}/api/v4/projects/{row.id}"
    owner = users.by_id(call.store, space.owner_id)
    found = {
        **brief(call, row, space),
        "container_registry_image_prefix": f"registry.{call.forge.company.world.host}/{row.full_path.lower()}",
        "_links": {
            "self": api,
            "issues": f"{api}/issues",
            "merge_requests": f"{api}/merge_requests",
            "repo_branches": f"{api}/repository/branches",
            "labels": f"{api}/labels",
            "events": f"{api}/events",
            "members": f"{api}/members",
            "cluster_agents": f"{api}/cluster_agents",
        },
        "marked_for_deletion_at": None,
        "marked_for_deletion_on": None,
        "packages_enabled": options["packages_enabled"],
        "empty_repo": bool(row.empty),
        "archived": bool(row.archived),
        **(
            {
                "owner": {
                    "id": owner.id,
                    "name": owner.name,
                    "created_at": owner.created_at,
                    **(basic(call, owner) or {}),
                }
            }
            if owner
            else {}
        ),
        "resolve_outdated_diff_discussions": options["resolve_outdated_diff_discussions"],
        "container_expiration_policy": {
            "cadence": "1d",
            "enabled": False,
            "keep_n": 10,
            "older_than": "90d",
            "name_regex": ".*",
            "name_regex_keep": None,
            "next_run_at": None,
        },
        "repository_object_format": "sha1",
        **{
            f"{name}_enabled": options[f"{feature}_access_level"] != "disabled"
            for name, feature in (
                ("issues", "issues"),
                ("merge_requests", "merge_requests"),
                ("wiki", "wiki"),
                ("jobs", "builds"),
                ("snippets", "snippets"),
                ("container_registry", "container_registry"),
            )
        },
        "service_desk_enabled": options["service_desk_enabled"],
        "can_create_merge_request_in": call.user is not None,
        **{f"{feature}_access_level": options[f"{feature}_access_level"] for feature in FEATURES},
        "emails_disabled": options["emails_disabled"],
        "emails_enabled": options["emails_enabled"],
        "shared_runners_enabled": options["shared_runners_enabled"],
        "lfs_enabled": options["lfs_enabled"],
        "creator_id": row.creator_id,
        "import_url": None,
        "import_type": options.get("import_type"),
        "import_status": options.get("import_status", "none"),
        "import_error": None,
        "open_issues_count": visibility.open_issues(call.store, call.user, row),
        "description_html": render(row.description) if row.description else "",
        "updated_at": row.updated_at,
        **{
            name: options[name]
            for name in (
                "ci_default_git_depth",
                "ci_forward_deployment_enabled",
                "ci_separated_caches",
                "public_jobs",
                "build_timeout",
                "auto_cancel_pending_pipelines",
                "merge_pipelines_enabled",
                "ci_config_path",
                "build_git_strategy",
                "keep_latest_artifact",
                "only_allow_merge_if_pipeline_succeeds",
                "allow_merge_on_skipped_pipeline",
                "request_access_enabled",
                "only_allow_merge_if_all_discussions_are_resolved",
                "remove_source_branch_after_merge",
                "printing_merge_request_link_enabled",
                "merge_method",
                "squash_option",
                "enforce_auth_checks_on_uploads",
                "suggestion_commit_message",
                "merge_commit_template",
                "squash_commit_template",
                "issue_branch_template",
                "auto_devops_enabled",
                "auto_devops_deploy_strategy",
                "autoclose_referenced_issues",
                "approvals_before_merge",
                "mirror",
            )
        },
        "ci_job_token_scope_enabled": False,
        "ci_allow_fork_pipelines_to_run_in_parent_project": True,
        "ci_id_token_sub_claim_components": ["project_path", "ref_type", "ref"],
        "restrict_user_defined_variables": False,
        "group_runners_enabled": True,
        "runners_token": None,
        "runner_token_expiration_interval": None,
        "external_authorization_classification_label": "",
        "requirements_enabled": True,
        "security_and_compliance_enabled": True,
        "warn_about_potentially_unwanted_characters": True,
        "shared_with_groups": links(call, row),
    }
    if row.forked_from:
        origin = store_projects.find(call.store, row.forked_from)
        if origin is not None and access.can_see_project(call.store, call.user, origin):
            found["forked_from_project"] = brief(call, origin, namespaces.get(call.store, origin.namespace_id))
    if asked.get("statistics"):
        found["statistics"] = {
            "commit_count": row.commit_count,
            **_sizes(row.repository_size),
            "container_registry_size": 0,
        }
    if asked.get("permissions", True) and call.user is not None:
        found["permissions"] = permissions(call, row, space)
    if asked.get("license"):
        found["license_url"], found["license"] = None, None
    return found


def _sizes(repositories: int) -> dict[str, int]:
    """What is stored, by kind: repositories alone are measured."""
    nothing = ("wiki", "lfs_objects", "job_artifacts", "pipeline_artifacts", "packages", "snippets", "uploads")
    return {"storage_size": repositories, "repository_size": repositories, **{f"{kind}_size": 0 for kind in nothing}}


def permissions(call: Call, row: Project, space: Namespace) -> dict[str, Any]:
    own, above = members.levels(call.store, call.me, row, space)
    return {
        "project_access": {"access_level": own, "notification_level": 3} if own else None,
        "group_access": {"access_level": above, "notification_level": 3} if above else None,
    }


def links(call: Call, source: Source) -> list[dict[str, Any]]:
    return [
        {
            "group_id": group.id, "group_name": group.name, "group_full_path": group.full_path,
            "group_access_level": link.access_level, "expires_at": link.expires_at,
        }
        for link, group in shares.visible(call.store, call.user, source)
    ]  # fmt: skip


def projects(
    call: Call, rows: list[Project], *, simple: bool = False, statistics: bool = False
) -> list[dict[str, Any]]:
    spaces = call.store.by_ids(Namespace, [row.namespace_id for row in rows])
    if simple or call.user is None:
        return [brief(call, row, spaces[row.namespace_id]) for row in rows]
    return [project(call, row, spaces[row.namespace_id], statistics=statistics) for row in rows]


GROUP_DEFAULTS: dict[str, Any] = {
    "share_with_group_lock": False,
    "require_two_factor_authentication": False,
    "two_factor_grace_period": 48,
    "project_creation_level": "developer",
    "auto_devops_enabled": None,
    "subgroup_creation_level": "maintainer",
    "emails_disabled": False,
    "emails_enabled": True,
    "mentions_disabled": None,
    "lfs_enabled": True,
    "math_rendering_limits_enabled": True,
    "lock_math_rendering_limits_enabled": False,
    "default_branch": None,
    "default_branch_protection": 2,
    "request_access_enabled": True,
    "wiki_access_level": "enabled",
    "membership_lock": False,
    "prevent_sharing_groups_outside_hierarchy": False,
    "shared_runners_setting": "enabled",
    "max_artifacts_size": None,
}


def group_brief(call: Call, row: Namespace) -> dict[str, Any]:
    return {
        "id": row.id,
        "web_url": f"{call.base}/groups/{row.full_path}",
        "name": row.name,
        "avatar_url": avatar(call, "group", row.id, row.avatar),
        "full_name": spaced_name(call, row),
        "full_path": row.full_path,
    }


def group(call: Call, row: Namespace, *, detail: bool = False, statistics: bool = False) -> dict[str, Any]:
    options = {**GROUP_DEFAULTS, **row.options}
    found: dict[str, Any] = {
        "id": row.id,
        "web_url": f"{call.base}/groups/{row.full_path}",
        "name": row.name,
        "path": row.path,
        "description": row.description,
        "visibility": VISIBILITY_NAMES[row.visibility],
        **{name: options[name] for name in GROUP_DEFAULTS},
        "default_branch_protection_defaults": {
            "allowed_to_push": [{"access_level": 40}], "allow_force_push": False,
            "allowed_to_merge": [{"access_level": 40}], "developer_can_initial_push": False,
        },
        "avatar_url": avatar(call, "group", row.id, row.avatar),
        "full_name": spaced_name(call, row),
        "full_path": row.full_path,
        "created_at": row.created_at,
        "parent_id": row.parent_id,
        "organization_id": 1,
        "shared_runners_minutes_limit": None,
        "extra_shared_runners_minutes_limit": None,
        "marked_for_deletion_on": None,
        "repository_storage": "default",
        "ldap_cn": None,
        "ldap_access": None,
        "file_template_project_id": None,
    }  # fmt: skip
    if statistics:
        found["statistics"] = _sizes(groups.repository_size(call.store, row))
    if detail:
        found["shared_with_groups"] = links(call, row)
        found["runners_token"] = None
        found["prevent_sharing_groups_outside_hierarchy"] = options["prevent_sharing_groups_outside_hierarchy"]
        if call.boolean("with_projects", True):
            own, shared = groups.projects_shown(call.store, call.user, row)
            found["projects"] = [project(call, one, row) for one in own]
            found["shared_projects"] = [project(call, one) for one in shared]
    return found
