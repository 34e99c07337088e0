"""The forge's tables. Columns stand in the order of the dataclasses in `store/` that carry their rows.

Repositories are not here: git keeps them. `refs` and `wiki_pages` repeat what git says, so that a grader sees pushes
as changes and reading a list never opens a repository. Issues and merge requests repeat their label names and the ids
of their people (JSON) for the same reasons; `label_links` and `people` are the indexes to filter by.
"""

from __future__ import annotations

from dayjob.company.changes import Tracked

SCHEMA = """
CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT, username TEXT NOT NULL COLLATE NOCASE UNIQUE, name TEXT NOT NULL,
    email TEXT NOT NULL COLLATE NOCASE UNIQUE, state TEXT NOT NULL DEFAULT 'active', admin INTEGER NOT NULL DEFAULT 0,
    bot INTEGER NOT NULL DEFAULT 0, external INTEGER NOT NULL DEFAULT 0, profile TEXT NOT NULL DEFAULT '{}',
    avatar TEXT, created_at TEXT NOT NULL, confirmed_at TEXT, last_activity_on TEXT,
    sign_in_count INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE passwords (user_id INTEGER PRIMARY KEY REFERENCES users(id) ON DELETE CASCADE, hash TEXT NOT NULL);
CREATE TABLE sessions (hash TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    created_at TEXT NOT NULL);
CREATE TABLE emails (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    email TEXT NOT NULL COLLATE NOCASE UNIQUE, confirmed_at TEXT
);
CREATE TABLE ssh_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER REFERENCES users(id) ON DELETE CASCADE, kind TEXT NOT NULL,
    title TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, fingerprint_sha256 TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, expires_at TEXT, usage_type TEXT NOT NULL DEFAULT 'auth_and_signing'
);
CREATE TABLE deploy_keys_projects (
    key_id INTEGER NOT NULL REFERENCES ssh_keys(id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, can_push INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL, PRIMARY KEY (key_id, project_id)
);
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, user_id INTEGER REFERENCES users(id) ON DELETE CASCADE,
    name TEXT NOT NULL, description TEXT, scopes TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT,
    last_used_at TEXT, revoked INTEGER NOT NULL DEFAULT 0, source_id INTEGER, access_level INTEGER, username TEXT,
    hash TEXT NOT NULL UNIQUE
);
CREATE INDEX tokens_source ON tokens(kind, source_id);
CREATE INDEX tokens_user ON tokens(user_id);

CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL,
    full_path TEXT NOT NULL COLLATE NOCASE UNIQUE, parent_id INTEGER REFERENCES namespaces(id) ON DELETE CASCADE,
    owner_id INTEGER REFERENCES users(id) ON DELETE CASCADE, visibility INTEGER NOT NULL DEFAULT 0,
    description TEXT NOT NULL DEFAULT '', settings TEXT NOT NULL DEFAULT '{}', avatar TEXT, created_at TEXT NOT NULL,
    milestones_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX namespaces_parent ON namespaces(parent_id);
CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT, namespace_id INTEGER NOT NULL REFERENCES namespaces(id) ON DELETE CASCADE,
    name TEXT NOT NULL, path TEXT NOT NULL, full_path TEXT NOT NULL COLLATE NOCASE UNIQUE, description TEXT,
    visibility INTEGER NOT NULL DEFAULT 0, default_branch TEXT, archived INTEGER NOT NULL DEFAULT 0, creator_id INTEGER,
    forked_from INTEGER, empty INTEGER NOT NULL DEFAULT 1, readme TEXT, avatar TEXT, topics TEXT NOT NULL DEFAULT '[]',
    settings TEXT NOT NULL DEFAULT '{}', star_count INTEGER NOT NULL DEFAULT 0, forks_count INTEGER NOT NULL DEFAULT 0,
    open_issues_count INTEGER NOT NULL DEFAULT 0, commit_count INTEGER NOT NULL DEFAULT 0,
    repository_size INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
    last_activity_at TEXT NOT NULL, issues_seq INTEGER NOT NULL DEFAULT 0,
    merge_requests_seq INTEGER NOT NULL DEFAULT 0,
    milestones_seq INTEGER NOT NULL DEFAULT 0, pipelines_seq INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX projects_namespace ON projects(namespace_id);
CREATE INDEX projects_created ON projects(created_at, id);
CREATE INDEX projects_activity ON projects(last_activity_at, id);
CREATE TABLE members (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source_type TEXT NOT NULL, source_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE, access_level INTEGER NOT NULL, expires_at TEXT,
    created_at TEXT NOT NULL, created_by INTEGER, UNIQUE (source_type, source_id, user_id)
);
CREATE INDEX members_user ON members(user_id);
CREATE TABLE group_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source_type TEXT NOT NULL, source_id INTEGER NOT NULL,
    group_id INTEGER NOT NULL REFERENCES namespaces(id) ON DELETE CASCADE, access_level INTEGER NOT NULL,
    expires_at TEXT, UNIQUE (source_type, source_id, group_id)
);
-- A membership or share ends when its last day comes; nothing but a removal looks at what has ended.
CREATE VIEW live_members AS SELECT * FROM members WHERE expires_at IS NULL OR expires_at>today();
CREATE VIEW live_links AS SELECT * FROM group_links WHERE expires_at IS NULL OR expires_at>today();
CREATE TABLE stars (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, at TEXT NOT NULL, UNIQUE (user_id,
    project_id)
);
CREATE TABLE refs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, sha TEXT NOT NULL, UNIQUE (project_id, name)
);
CREATE TABLE protected_refs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    kind TEXT NOT NULL, name TEXT NOT NULL, push_level INTEGER NOT NULL DEFAULT 40,
    merge_level INTEGER NOT NULL DEFAULT 40,
    allow_force_push INTEGER NOT NULL DEFAULT 0, UNIQUE (project_id, kind, name)
);
CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE,
    group_id INTEGER REFERENCES namespaces(id) ON DELETE CASCADE, name TEXT NOT NULL, description TEXT,
    color TEXT NOT NULL, priority INTEGER, archived INTEGER NOT NULL DEFAULT 0, UNIQUE (project_id, group_id, name)
);
CREATE INDEX labels_project ON labels(project_id, name);
CREATE INDEX labels_group ON labels(group_id, name);
CREATE TABLE label_links (
    label_id INTEGER NOT NULL REFERENCES labels(id) ON DELETE CASCADE, item_type TEXT NOT NULL,
    item_id INTEGER NOT NULL,
    PRIMARY KEY (item_type, item_id, label_id)
) WITHOUT ROWID;
CREATE INDEX label_links_label ON label_links(label_id, item_type, item_id);
CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT, iid INTEGER NOT NULL,
    project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE,
    group_id INTEGER REFERENCES namespaces(id) ON DELETE CASCADE, title TEXT NOT NULL, description TEXT,
    state TEXT NOT NULL DEFAULT 'active', due_date TEXT, start_date TEXT, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX milestones_project ON milestones(project_id, title);
CREATE INDEX milestones_group ON milestones(group_id, title);
CREATE TABLE issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    iid INTEGER NOT NULL, title TEXT NOT NULL, description TEXT, state TEXT NOT NULL DEFAULT 'opened',
    author_id INTEGER NOT NULL, milestone_id INTEGER REFERENCES milestones(id) ON DELETE SET NULL, weight INTEGER,
    due_date TEXT, confidential INTEGER NOT NULL DEFAULT 0, discussion_locked INTEGER,
    issue_type TEXT NOT NULL DEFAULT 'issue',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, closed_at TEXT, closed_by INTEGER,
    time_estimate INTEGER NOT NULL DEFAULT 0, time_spent INTEGER NOT NULL DEFAULT 0,
    user_notes_count INTEGER NOT NULL DEFAULT 0, relative_position INTEGER, moved_to INTEGER, severity TEXT,
    labels TEXT NOT NULL DEFAULT '[]', assignees TEXT NOT NULL DEFAULT '[]',
    UNIQUE (project_id, iid)
);
CREATE INDEX issues_confidential ON issues(project_id, state) WHERE confidential=1;
CREATE INDEX issues_created ON issues(project_id, created_at, id, state);
CREATE INDEX issues_updated ON issues(project_id, updated_at, id, state);
CREATE INDEX issues_state ON issues(project_id, state, created_at, id);
CREATE INDEX issues_everywhere ON issues(created_at, id);
CREATE INDEX issues_milestone ON issues(milestone_id);
CREATE TABLE merge_requests (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    iid INTEGER NOT NULL, source_project_id INTEGER, source_branch TEXT NOT NULL, target_branch TEXT NOT NULL,
    title TEXT NOT NULL, description TEXT, state TEXT NOT NULL DEFAULT 'opened', author_id INTEGER NOT NULL,
    milestone_id INTEGER REFERENCES milestones(id) ON DELETE SET NULL, created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    prepared_at TEXT, merged_at TEXT, merged_by INTEGER, closed_at TEXT, closed_by INTEGER, merge_commit_sha TEXT,
    squash_commit_sha TEXT, head_sha TEXT, base_sha TEXT, start_sha TEXT,
    merge_status TEXT NOT NULL DEFAULT 'unchecked',
    changed_files INTEGER NOT NULL DEFAULT 0, squash INTEGER NOT NULL DEFAULT 0, remove_source_branch INTEGER,
    auto_merge INTEGER NOT NULL DEFAULT 0, merge_after TEXT, merge_error TEXT, discussion_locked INTEGER,
    allow_collaboration INTEGER NOT NULL DEFAULT 0, time_estimate INTEGER NOT NULL DEFAULT 0,
    time_spent INTEGER NOT NULL DEFAULT 0, user_notes_count INTEGER NOT NULL DEFAULT 0,
    labels TEXT NOT NULL DEFAULT '[]',
    assignees TEXT NOT NULL DEFAULT '[]', reviewers TEXT NOT NULL DEFAULT '[]', UNIQUE (project_id, iid)
);
CREATE INDEX merge_requests_created ON merge_requests(project_id, created_at, id, state);
CREATE INDEX merge_requests_source ON merge_requests(source_project_id, source_branch, state);
CREATE INDEX merge_requests_target ON merge_requests(project_id, target_branch, state);
CREATE INDEX merge_requests_waiting ON merge_requests(id) WHERE auto_merge>0;
CREATE INDEX merge_requests_everywhere ON merge_requests(created_at, id);
CREATE TABLE merge_request_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    merge_request_id INTEGER NOT NULL REFERENCES merge_requests(id) ON DELETE CASCADE,
    head_sha TEXT NOT NULL, base_sha TEXT NOT NULL, start_sha TEXT NOT NULL, created_at TEXT NOT NULL
);
CREATE INDEX versions_request ON merge_request_versions(merge_request_id);
CREATE TABLE people (
    item_type TEXT NOT NULL, item_id INTEGER NOT NULL, role TEXT NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE, position INTEGER NOT NULL,
    PRIMARY KEY (item_type, item_id, role, user_id)
) WITHOUT ROWID;
CREATE INDEX people_user ON people(user_id, role, item_type, item_id);
CREATE TABLE approvals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    merge_request_id INTEGER NOT NULL REFERENCES merge_requests(id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE, created_at TEXT NOT NULL,
    UNIQUE (merge_request_id, user_id)
);
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, noteable_type TEXT NOT NULL, noteable_id INTEGER NOT NULL, project_id INTEGER,
    author_id INTEGER NOT NULL, body TEXT NOT NULL, system INTEGER NOT NULL DEFAULT 0, discussion_id TEXT NOT NULL,
    type TEXT, position TEXT, resolvable INTEGER NOT NULL DEFAULT 0, resolved INTEGER NOT NULL DEFAULT 0,
    resolved_by INTEGER, resolved_at TEXT, internal INTEGER NOT NULL DEFAULT 0, commit_id TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX notes_item ON notes(noteable_type, noteable_id, created_at, id);
CREATE INDEX notes_commit ON notes(commit_id);
CREATE TABLE resource_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, item_type TEXT NOT NULL, item_id INTEGER NOT NULL,
    user_id INTEGER NOT NULL, action TEXT NOT NULL, value TEXT, created_at TEXT NOT NULL
);
CREATE INDEX resource_events_item ON resource_events(item_type, item_id, kind);
CREATE TABLE award_emoji (
    id INTEGER PRIMARY KEY AUTOINCREMENT, awardable_type TEXT NOT NULL, awardable_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    user_id INTEGER NOT NULL, created_at TEXT NOT NULL, UNIQUE (awardable_type, awardable_id, name, user_id)
);
CREATE TABLE issue_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT, source_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE,
    target_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE, link_type TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (source_id, target_id)
);
CREATE TABLE closings (
    merge_request_id INTEGER NOT NULL REFERENCES merge_requests(id) ON DELETE CASCADE,
    issue_id INTEGER NOT NULL REFERENCES issues(id) ON DELETE CASCADE, closes INTEGER NOT NULL,
    PRIMARY KEY (merge_request_id, issue_id)
);
CREATE TABLE subscriptions (
    user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE, item_type TEXT NOT NULL, item_id INTEGER NOT NULL,
    subscribed INTEGER NOT NULL, PRIMARY KEY (user_id, item_type, item_id)
);
CREATE TABLE todos (
    id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE, author_id INTEGER NOT NULL, action TEXT NOT NULL,
    target_type TEXT NOT NULL, target_id INTEGER NOT NULL, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'pending',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX todos_user ON todos(user_id, state, id);
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER, author_id INTEGER NOT NULL, action TEXT NOT NULL,
    target_type TEXT, target_id INTEGER, target_iid INTEGER, target_title TEXT, push TEXT, created_at TEXT NOT NULL
);
CREATE INDEX events_project ON events(project_id, id);
CREATE INDEX events_author ON events(author_id, id);
CREATE TABLE releases (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    tag_name TEXT NOT NULL, name TEXT NOT NULL, description TEXT, author_id INTEGER NOT NULL, sha TEXT,
    created_at TEXT NOT NULL, released_at TEXT NOT NULL, milestones TEXT NOT NULL DEFAULT '[]', UNIQUE (project_id,
    tag_name)
);
CREATE TABLE release_links (
    id INTEGER PRIMARY KEY AUTOINCREMENT, release_id INTEGER NOT NULL REFERENCES releases(id) ON DELETE CASCADE,
    name TEXT NOT NULL, url TEXT NOT NULL, link_type TEXT NOT NULL DEFAULT 'other', filepath TEXT
);
CREATE TABLE wiki_pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, owner_type TEXT NOT NULL, owner_id INTEGER NOT NULL, slug TEXT NOT NULL,
    title TEXT NOT NULL, format TEXT NOT NULL, content TEXT NOT NULL, UNIQUE (owner_type, owner_id, slug)
);
CREATE TABLE snippets (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER REFERENCES projects(id) ON DELETE CASCADE,
    author_id INTEGER NOT NULL, title TEXT NOT NULL, description TEXT, visibility TEXT NOT NULL, files TEXT NOT NULL,
    user_agent TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE pipelines (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    iid INTEGER NOT NULL, ref TEXT NOT NULL, tag INTEGER NOT NULL DEFAULT 0, sha TEXT NOT NULL,
    before_sha TEXT NOT NULL,
    status TEXT NOT NULL, source TEXT NOT NULL, user_id INTEGER NOT NULL, name TEXT, yaml_errors TEXT,
    variables TEXT NOT NULL DEFAULT '[]',
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL, started_at TEXT, finished_at TEXT,
    merge_request_id INTEGER REFERENCES merge_requests(id) ON DELETE SET NULL, source_sha TEXT, schedule_id INTEGER
);
CREATE INDEX pipelines_project ON pipelines(project_id, id);
CREATE INDEX pipelines_sha ON pipelines(project_id, sha);
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, pipeline_id INTEGER REFERENCES pipelines(id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE, kind TEXT NOT NULL, name TEXT NOT NULL,
    stage TEXT NOT NULL, status TEXT NOT NULL, ref TEXT, tag INTEGER NOT NULL DEFAULT 0, sha TEXT NOT NULL,
    user_id INTEGER NOT NULL,
    allow_failure INTEGER NOT NULL DEFAULT 0, when_run TEXT NOT NULL DEFAULT 'on_success',
    tags TEXT NOT NULL DEFAULT '[]',
    description TEXT, target_url TEXT, coverage REAL, created_at TEXT NOT NULL, started_at TEXT, finished_at TEXT,
    stage_number INTEGER NOT NULL DEFAULT 0, config TEXT NOT NULL DEFAULT '{}', failure_reason TEXT, exit_code INTEGER,
    runner_id INTEGER REFERENCES runners(id) ON DELETE SET NULL, token_hash TEXT UNIQUE,
    retried INTEGER NOT NULL DEFAULT 0,
    queued_at TEXT, scheduled_at TEXT, erased_at TEXT, environment TEXT, trace TEXT
);
CREATE INDEX jobs_unfinished ON jobs(status) WHERE status IN ('pending','running','scheduled');
CREATE INDEX jobs_pipeline ON jobs(pipeline_id);
CREATE INDEX jobs_project ON jobs(project_id, id);
CREATE INDEX jobs_sha ON jobs(project_id, sha);
CREATE TABLE job_artifacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    file_type TEXT NOT NULL, file_format TEXT NOT NULL, filename TEXT NOT NULL, size INTEGER NOT NULL,
    blob TEXT NOT NULL, expire_at TEXT, created_at TEXT NOT NULL
);
CREATE INDEX job_artifacts_job ON job_artifacts(job_id);
CREATE TABLE runners (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
    token_hash TEXT UNIQUE, tags TEXT NOT NULL DEFAULT '[]', run_untagged INTEGER NOT NULL DEFAULT 1,
    locked INTEGER NOT NULL DEFAULT 0, paused INTEGER NOT NULL DEFAULT 0,
    access_level TEXT NOT NULL DEFAULT 'not_protected', maximum_timeout INTEGER, maintenance_note TEXT,
    info TEXT NOT NULL DEFAULT '{}', creator_id INTEGER, created_at TEXT NOT NULL, contacted_at TEXT
);
CREATE TABLE runner_places (
    runner_id INTEGER NOT NULL REFERENCES runners(id) ON DELETE CASCADE, scope TEXT NOT NULL,
    scope_id INTEGER NOT NULL, PRIMARY KEY (runner_id, scope, scope_id)
);
CREATE TABLE pipeline_schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    description TEXT NOT NULL, ref TEXT NOT NULL, cron TEXT NOT NULL, cron_timezone TEXT NOT NULL DEFAULT 'UTC',
    next_run_at TEXT, active INTEGER NOT NULL DEFAULT 1, owner_id INTEGER, variables TEXT NOT NULL DEFAULT '[]',
    last_pipeline_id INTEGER, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE INDEX pipeline_schedules_due ON pipeline_schedules(next_run_at) WHERE active=1;
CREATE TABLE packages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    name TEXT NOT NULL, version TEXT NOT NULL, package_type TEXT NOT NULL, created_at TEXT NOT NULL, creator_id INTEGER,
    UNIQUE (project_id, package_type, name, version)
);
CREATE TABLE package_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT, package_id INTEGER NOT NULL REFERENCES packages(id) ON DELETE CASCADE,
    file_name TEXT NOT NULL, size INTEGER NOT NULL, blob TEXT NOT NULL, md5 TEXT, sha1 TEXT, sha256 TEXT,
    created_at TEXT NOT NULL
);
CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT, project_id INTEGER NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    secret TEXT NOT NULL UNIQUE, filename TEXT NOT NULL, size INTEGER NOT NULL, blob TEXT NOT NULL,
    user_id INTEGER, created_at TEXT NOT NULL
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, scope TEXT NOT NULL, scope_id INTEGER NOT NULL,
    name TEXT NOT NULL, body TEXT NOT NULL, secret TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX records_place ON records(kind, scope, scope_id, name);
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

TRACKED = (
    Tracked("users", hide=("last_activity_on", "sign_in_count")),
    Tracked("emails"),
    Tracked("ssh_keys"),
    Tracked("tokens", hide=("hash", "last_used_at")),
    Tracked("namespaces", hide=("milestones_seq",)),
    Tracked(
        "projects",
        hide=(
            "updated_at", "last_activity_at", "issues_seq", "merge_requests_seq", "milestones_seq", "pipelines_seq",
            "commit_count", "repository_size", "open_issues_count", "star_count", "forks_count", "readme",
        ),
    ),
    Tracked("members"),
    Tracked("group_links"),
    Tracked("stars"),
    Tracked("refs"),
    Tracked("protected_refs"),
    Tracked("labels"),
    Tracked("milestones", hide=("updated_at",)),
    Tracked("issues", hide=("updated_at", "user_notes_count", "relative_position")),
    Tracked("merge_requests", hide=("updated_at", "user_notes_count", "merge_status", "prepared_at", "changed_files")),
    Tracked("approvals"),
    Tracked("notes", hide=("updated_at",)),
    Tracked("award_emoji"),
    Tracked("issue_links"),
    Tracked("releases"),
    Tracked("release_links"),
    Tracked("wiki_pages"),
    Tracked("snippets", hide=("updated_at", "user_agent")),
    Tracked("packages"),
    Tracked("package_files"),
    Tracked("uploads", hide=("secret",)),
    Tracked("records", hide=("secret", "updated_at")),
    Tracked("settings", key="name"),
)  # fmt: skip
