"""Projects and what they hold beside issues and code."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import Parsed

FEATURES = (
    "issues", "merge_requests", "wiki", "snippets", "builds", "forking", "repository", "releases", "environments",
    "feature_flags", "pages", "security_and_compliance", "container_registry", "analytics", "monitor", "infrastructure",
    "model_experiments", "model_registry", "requirements",
)  # fmt: skip

DEFAULTS: dict[str, Any] = {
    "merge_method": "merge",
    "squash_option": "default_off",
    "lfs_enabled": False,
    "request_access_enabled": True,
    "shared_runners_enabled": True,
    "only_allow_merge_if_pipeline_succeeds": False,
    "allow_merge_on_skipped_pipeline": None,
    "only_allow_merge_if_all_discussions_are_resolved": False,
    "remove_source_branch_after_merge": True,
    "printing_merge_request_link_enabled": True,
    "auto_devops_enabled": False,
    "auto_devops_deploy_strategy": "continuous",
    "autoclose_referenced_issues": True,
    "approvals_before_merge": 0,
    "reset_approvals_on_push": False,
    "disable_overriding_approvers_per_merge_request": False,
    "merge_requests_author_approval": True,
    "merge_requests_disable_committers_approval": False,
    "public_jobs": True,
    "build_timeout": 3600,
    "auto_cancel_pending_pipelines": "enabled",
    "ci_config_path": None,
    "ci_default_git_depth": 20,
    "ci_forward_deployment_enabled": True,
    "ci_separated_caches": True,
    "build_git_strategy": "fetch",
    "keep_latest_artifact": True,
    "resolve_outdated_diff_discussions": False,
    "service_desk_enabled": False,
    "suggestion_commit_message": None,
    "merge_commit_template": None,
    "squash_commit_template": None,
    "issue_branch_template": None,
    "enforce_auth_checks_on_uploads": True,
    "emails_enabled": True,
    "emails_disabled": False,
    "packages_enabled": True,
    "mirror": False,
    "merge_pipelines_enabled": False,
    **{
        f"{feature}_access_level": "enabled"
        for feature in FEATURES
        if feature not in ("security_and_compliance", "requirements")
    },
    "security_and_compliance_access_level": "private",
    "requirements_access_level": "enabled",
}


@dataclass(slots=True)
class Project(ForgeRow, table="projects"):
    """A project row. `options` are its settings, `DEFAULTS` filling what was never set."""

    namespace_id: int
    name: str
    path: str
    full_path: str
    description: str | None
    visibility: int
    default_branch: str | None
    archived: int
    creator_id: int | None
    forked_from: int | None
    empty: int
    readme: str | None
    avatar: str | None
    topics: str
    settings: str
    star_count: int
    forks_count: int
    open_issues_count: int
    commit_count: int
    repository_size: int
    created_at: str
    updated_at: str
    last_activity_at: str
    issues_seq: int
    merge_requests_seq: int
    milestones_seq: int
    pipelines_seq: int

    @property
    def options(self) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self.settings)
        # A setting that was given as null is one that was not given.
        return {**DEFAULTS, **{name: value for name, value in kept.items() if value is not None}}


@dataclass(slots=True)
class Protection(ForgeRow, table="protected_refs"):
    """A rule for the refs that match its name. Level 0 is nobody."""

    project_id: int
    kind: str
    name: str
    push_level: int
    merge_level: int
    allow_force_push: int


@dataclass(slots=True)
class Release(ForgeRow, table="releases"):
    project_id: int
    tag_name: str
    name: str
    description: str | None
    author_id: int
    sha: str | None
    created_at: str
    released_at: str
    milestones: str


@dataclass(slots=True)
class Link(ForgeRow, table="release_links"):
    release_id: int
    name: str
    url: str
    link_type: str
    filepath: str | None


@dataclass(slots=True)
class Package(ForgeRow, table="packages"):
    project_id: int
    name: str
    version: str
    package_type: str
    created_at: str
    creator_id: int | None


@dataclass(slots=True)
class PackageFile(ForgeRow, table="package_files"):
    package_id: int
    file_name: str
    size: int
    blob: str
    md5: str | None
    sha1: str | None
    sha256: str | None
    created_at: str


@dataclass(slots=True)
class Snippet(ForgeRow, table="snippets"):
    project_id: int | None
    author_id: int
    title: str
    description: str | None
    visibility: str
    files: str
    user_agent: str
    created_at: str
    updated_at: str

    contents = Parsed[dict[str, str]]("files")


@dataclass(slots=True)
class Upload(ForgeRow, table="uploads"):
    project_id: int
    secret: str
    filename: str
    size: int
    blob: str
    user_id: int | None
    created_at: str


@dataclass(slots=True)
class WikiPage(ForgeRow, table="wiki_pages"):
    owner_type: str
    owner_id: int
    slug: str
    title: str
    format: str
    content: str


@dataclass(slots=True)
class Record(ForgeRow, table="records"):
    kind: str
    scope: str
    scope_id: int
    name: str
    body: str
    secret: str
    created_at: str
    updated_at: str

    values = Parsed[dict[str, Any]]("body")
    secrets = Parsed[dict[str, Any]]("secret")
