"""The board's tables. Columns are named as Plane's wire names them, so that a row and its JSON read alike.

Secrets (keys, passwords, sessions) stand in tables of their own that are never tracked. `listed` on an item says
whether lists show it: not archived, not a draft, not waiting in the intake.
"""

from __future__ import annotations

from collections.abc import Sequence

from dayjob.company.changes import Tracked

_PLACE = "workspace TEXT NOT NULL, project TEXT NOT NULL REFERENCES projects(id) ON DELETE CASCADE"
_AUDIT = "created_at TEXT NOT NULL, updated_at TEXT NOT NULL, created_by TEXT, updated_by TEXT"
_OUTSIDE = "external_source TEXT, external_id TEXT"
_ITEM = "issue TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE"

SCHEMA = f"""
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE users (
  id TEXT PRIMARY KEY, username TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  first_name TEXT NOT NULL, last_name TEXT NOT NULL, display_name TEXT NOT NULL, avatar TEXT NOT NULL DEFAULT '',
  is_active INTEGER NOT NULL DEFAULT 1, is_bot INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL
);
CREATE TABLE passwords (user TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE api_keys (hash BLOB PRIMARY KEY, user TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (hash BLOB PRIMARY KEY, user TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE workspaces (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
  features TEXT NOT NULL DEFAULT '{{}}', created_at TEXT NOT NULL
);
CREATE TABLE workspace_members (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, member TEXT NOT NULL, role INTEGER NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, UNIQUE (member, workspace)
);
CREATE INDEX workspace_members_by_workspace ON workspace_members (workspace, created_at);
CREATE TABLE invitations (
  id TEXT PRIMARY KEY, {_AUDIT}, workspace TEXT NOT NULL, email TEXT NOT NULL COLLATE NOCASE, role INTEGER NOT NULL,
  responded_at TEXT, accepted INTEGER NOT NULL DEFAULT 0, UNIQUE (workspace, email)
);

CREATE TABLE projects (
  id TEXT PRIMARY KEY, {_AUDIT}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  description_text TEXT, description_html TEXT, network INTEGER NOT NULL DEFAULT 2, identifier TEXT NOT NULL,
  emoji TEXT, icon_prop TEXT, module_view INTEGER NOT NULL DEFAULT 1, cycle_view INTEGER NOT NULL DEFAULT 1,
  issue_views_view INTEGER NOT NULL DEFAULT 1, page_view INTEGER NOT NULL DEFAULT 1,
  intake_view INTEGER NOT NULL DEFAULT 0, is_time_tracking_enabled INTEGER NOT NULL DEFAULT 0,
  is_issue_type_enabled INTEGER NOT NULL DEFAULT 0, guest_view_all_features INTEGER NOT NULL DEFAULT 0,
  cover_image TEXT, archive_in INTEGER NOT NULL DEFAULT 0, close_in INTEGER NOT NULL DEFAULT 0,
  logo_props TEXT NOT NULL DEFAULT '{{}}', archived_at TEXT, timezone TEXT NOT NULL DEFAULT 'UTC', {_OUTSIDE},
  workspace TEXT NOT NULL, default_assignee TEXT, project_lead TEXT, cover_image_asset TEXT, estimate TEXT,
  default_state TEXT, last_sequence INTEGER NOT NULL DEFAULT 0,
  UNIQUE (workspace, identifier), UNIQUE (workspace, name)
);
CREATE TABLE project_members (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, member TEXT NOT NULL, role INTEGER NOT NULL,
  sort_order REAL NOT NULL DEFAULT 65535, is_active INTEGER NOT NULL DEFAULT 1, UNIQUE (project, member)
);
CREATE INDEX project_members_by_member ON project_members (member);

CREATE TABLE states (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  color TEXT NOT NULL, slug TEXT NOT NULL DEFAULT '', sequence REAL NOT NULL DEFAULT 65535,
  "group" TEXT NOT NULL DEFAULT 'backlog', is_triage INTEGER NOT NULL DEFAULT 0, "default" INTEGER NOT NULL DEFAULT 0,
  {_OUTSIDE}, UNIQUE (project, name)
);
CREATE INDEX states_by_sequence ON states (project, sequence);
CREATE TABLE labels (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  color TEXT NOT NULL DEFAULT '', sort_order REAL NOT NULL DEFAULT 65535, parent TEXT, {_OUTSIDE},
  UNIQUE (project, name)
);
CREATE TABLE estimates (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  type TEXT NOT NULL DEFAULT 'categories', last_used INTEGER NOT NULL DEFAULT 0, {_OUTSIDE}
);
CREATE INDEX estimates_by_project ON estimates (project);
CREATE TABLE estimate_points (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, estimate TEXT NOT NULL REFERENCES estimates(id) ON DELETE CASCADE,
  key INTEGER NOT NULL DEFAULT 0, description TEXT NOT NULL DEFAULT '', value TEXT NOT NULL, {_OUTSIDE}
);
CREATE INDEX estimate_points_by_estimate ON estimate_points (estimate, key);

CREATE TABLE items (
  row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, {_AUDIT}, {_PLACE}, point INTEGER, name TEXT NOT NULL,
  description_html TEXT NOT NULL DEFAULT '<p></p>', description_stripped TEXT, priority TEXT NOT NULL DEFAULT 'none',
  start_date TEXT, target_date TEXT, sequence_id INTEGER NOT NULL, sort_order REAL NOT NULL DEFAULT 65535,
  completed_at TEXT, archived_at TEXT, is_draft INTEGER NOT NULL DEFAULT 0, {_OUTSIDE},
  parent TEXT REFERENCES items(id) ON DELETE CASCADE, state TEXT, estimate_point TEXT, type TEXT,
  listed INTEGER NOT NULL DEFAULT 1, UNIQUE (project, sequence_id)
);
CREATE INDEX items_listed ON items (project, created_at) WHERE listed;
CREATE INDEX items_by_parent ON items (parent) WHERE parent IS NOT NULL;
CREATE INDEX items_by_state ON items (state, sort_order);
CREATE INDEX items_outside ON items (project, external_id) WHERE external_id IS NOT NULL;
CREATE VIRTUAL TABLE item_words USING fts5(name, content='items', content_rowid='row', tokenize='trigram');
CREATE TRIGGER item_words_added AFTER INSERT ON items BEGIN
  INSERT INTO item_words (rowid, name) VALUES (NEW.row, NEW.name); END;
CREATE TRIGGER item_words_removed AFTER DELETE ON items BEGIN
  INSERT INTO item_words (item_words, rowid, name) VALUES ('delete', OLD.row, OLD.name); END;
CREATE TRIGGER item_words_changed AFTER UPDATE OF name ON items BEGIN
  INSERT INTO item_words (item_words, rowid, name) VALUES ('delete', OLD.row, OLD.name);
  INSERT INTO item_words (rowid, name) VALUES (NEW.row, NEW.name); END;

CREATE TABLE item_assignees (
  id TEXT PRIMARY KEY, {_ITEM}, assignee TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (issue, assignee)
);
CREATE TABLE item_labels (
  id TEXT PRIMARY KEY, {_ITEM}, label TEXT NOT NULL REFERENCES labels(id) ON DELETE CASCADE,
  created_at TEXT NOT NULL, UNIQUE (issue, label)
);
CREATE INDEX item_labels_by_label ON item_labels (label);
CREATE TABLE relations (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM},
  related_issue TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE, relation_type TEXT NOT NULL,
  UNIQUE (issue, related_issue)
);
CREATE INDEX relations_by_related ON relations (related_issue);
CREATE TABLE comments (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, comment_stripped TEXT NOT NULL DEFAULT '',
  comment_html TEXT NOT NULL DEFAULT '<p></p>', attachments TEXT NOT NULL DEFAULT '[]', actor TEXT,
  access TEXT NOT NULL DEFAULT 'INTERNAL', edited_at TEXT, parent TEXT, {_OUTSIDE}
);
CREATE INDEX comments_by_item ON comments (issue, created_at);
CREATE TABLE links (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, title TEXT, url TEXT NOT NULL, metadata TEXT NOT NULL DEFAULT '{{}}'
);
CREATE INDEX links_by_item ON links (issue, created_at);
CREATE TABLE attachments (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, attributes TEXT NOT NULL, asset TEXT NOT NULL UNIQUE,
  size REAL NOT NULL, is_uploaded INTEGER NOT NULL DEFAULT 0, blob TEXT, {_OUTSIDE}
);
CREATE INDEX attachments_by_item ON attachments (issue, created_at);
CREATE TABLE activities (
  id TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, {_PLACE}, {_ITEM}, verb TEXT NOT NULL,
  field TEXT, old_value TEXT, new_value TEXT, comment TEXT NOT NULL, attachments TEXT NOT NULL DEFAULT '[]',
  issue_comment TEXT, actor TEXT, old_identifier TEXT, new_identifier TEXT, epoch REAL
);
CREATE INDEX activities_by_item ON activities (issue, created_at);

CREATE TABLE cycles (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  start_date TEXT, end_date TEXT, view_props TEXT NOT NULL DEFAULT '{{}}', sort_order REAL NOT NULL DEFAULT 65535,
  {_OUTSIDE}, progress_snapshot TEXT NOT NULL DEFAULT '{{}}', archived_at TEXT, logo_props TEXT NOT NULL DEFAULT '{{}}',
  timezone TEXT NOT NULL DEFAULT 'UTC', version INTEGER NOT NULL DEFAULT 1, owned_by TEXT NOT NULL
);
CREATE INDEX cycles_by_project ON cycles (project, created_at);
CREATE TABLE cycle_items (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, issue TEXT NOT NULL UNIQUE REFERENCES items(id) ON DELETE CASCADE,
  cycle TEXT NOT NULL REFERENCES cycles(id) ON DELETE CASCADE
);
CREATE INDEX cycle_items_by_cycle ON cycle_items (cycle, created_at);
CREATE TABLE modules (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  description_text TEXT, description_html TEXT, start_date TEXT, target_date TEXT,
  status TEXT NOT NULL DEFAULT 'planned', lead TEXT, view_props TEXT NOT NULL DEFAULT '{{}}',
  sort_order REAL NOT NULL DEFAULT 65535, {_OUTSIDE}, archived_at TEXT, logo_props TEXT NOT NULL DEFAULT '{{}}',
  UNIQUE (project, name)
);
CREATE INDEX modules_by_project ON modules (project, created_at);
CREATE TABLE module_members (
  id TEXT PRIMARY KEY, module TEXT NOT NULL REFERENCES modules(id) ON DELETE CASCADE, member TEXT NOT NULL,
  UNIQUE (module, member)
);
CREATE TABLE module_items (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, module TEXT NOT NULL REFERENCES modules(id) ON DELETE CASCADE,
  UNIQUE (issue, module)
);
CREATE INDEX module_items_by_module ON module_items (module, created_at);

CREATE TABLE intakes (
  id TEXT PRIMARY KEY, {_PLACE}, name TEXT NOT NULL, created_at TEXT NOT NULL, UNIQUE (project)
);
CREATE TABLE intake_items (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, intake TEXT NOT NULL REFERENCES intakes(id) ON DELETE CASCADE,
  issue TEXT NOT NULL UNIQUE REFERENCES items(id) ON DELETE CASCADE, status INTEGER NOT NULL DEFAULT -2,
  snoozed_till TEXT, duplicate_to TEXT, source TEXT DEFAULT 'IN_APP', source_email TEXT,
  extra TEXT NOT NULL DEFAULT '{{}}',   {_OUTSIDE}
);
CREATE INDEX intake_items_by_intake ON intake_items (intake, created_at);

CREATE TABLE pages (
  id TEXT PRIMARY KEY, {_AUDIT}, workspace TEXT NOT NULL, project TEXT REFERENCES projects(id) ON DELETE CASCADE,
  name TEXT NOT NULL DEFAULT '', description_html TEXT NOT NULL DEFAULT '<p></p>', description_stripped TEXT,
  access INTEGER NOT NULL DEFAULT 0, color TEXT NOT NULL DEFAULT '', parent TEXT, archived_at TEXT,
  is_locked INTEGER NOT NULL DEFAULT 0, logo_props TEXT NOT NULL DEFAULT '{{}}', owned_by TEXT NOT NULL, {_OUTSIDE}
);
CREATE INDEX pages_by_place ON pages (workspace, project, created_at);
CREATE TABLE stickies (
  id TEXT PRIMARY KEY, {_AUDIT}, workspace TEXT NOT NULL, name TEXT, description_html TEXT NOT NULL DEFAULT '<p></p>',
  description_stripped TEXT, logo_props TEXT NOT NULL DEFAULT '{{}}', color TEXT, background_color TEXT,
  owner TEXT NOT NULL, sort_order REAL NOT NULL DEFAULT 65535
);
CREATE INDEX stickies_by_owner ON stickies (workspace, owner, sort_order);
CREATE TABLE worklogs (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, description TEXT NOT NULL DEFAULT '',
  duration INTEGER NOT NULL DEFAULT 0, logged_by TEXT NOT NULL
);
CREATE INDEX worklogs_by_item ON worklogs (issue, created_at);

CREATE TABLE item_types (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  logo_props TEXT NOT NULL DEFAULT '{{}}', is_epic INTEGER NOT NULL DEFAULT 0, is_default INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 1, level REAL NOT NULL DEFAULT 0, {_OUTSIDE}, UNIQUE (project, name)
);
CREATE TABLE type_properties (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, issue_type TEXT NOT NULL REFERENCES item_types(id) ON DELETE CASCADE,
  name TEXT NOT NULL, display_name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '',
  logo_props TEXT NOT NULL DEFAULT '{{}}', sort_order REAL NOT NULL DEFAULT 65535, property_type TEXT NOT NULL,
  relation_type TEXT, is_required INTEGER NOT NULL DEFAULT 0, default_value TEXT NOT NULL DEFAULT '[]',
  settings TEXT NOT NULL DEFAULT '{{}}', is_active INTEGER NOT NULL DEFAULT 1, is_multi INTEGER NOT NULL DEFAULT 0,
  validation_rules TEXT NOT NULL DEFAULT '{{}}', {_OUTSIDE}, UNIQUE (issue_type, name)
);
CREATE TABLE property_options (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, property TEXT NOT NULL REFERENCES type_properties(id) ON DELETE CASCADE,
  name TEXT NOT NULL, description TEXT NOT NULL DEFAULT '', logo_props TEXT NOT NULL DEFAULT '{{}}',
  sort_order REAL NOT NULL DEFAULT 65535, is_active INTEGER NOT NULL DEFAULT 1, is_default INTEGER NOT NULL DEFAULT 0,
  parent TEXT, {_OUTSIDE}, UNIQUE (property, name)
);
CREATE TABLE property_values (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM},
  property TEXT NOT NULL REFERENCES type_properties(id) ON DELETE CASCADE, value TEXT NOT NULL, {_OUTSIDE}
);
CREATE INDEX property_values_by_item ON property_values (issue, property);
CREATE TABLE milestones (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, title TEXT NOT NULL, target_date TEXT, {_OUTSIDE}
);
CREATE INDEX milestones_by_project ON milestones (project, created_at);
CREATE TABLE milestone_items (
  id TEXT PRIMARY KEY, {_AUDIT}, {_PLACE}, {_ITEM}, milestone TEXT NOT NULL REFERENCES milestones(id) ON DELETE CASCADE,
  UNIQUE (issue, milestone)
);
CREATE INDEX milestone_items_by_milestone ON milestone_items (milestone, created_at);
CREATE TABLE relation_definitions (
  id TEXT PRIMARY KEY, {_AUDIT}, workspace TEXT NOT NULL, name TEXT NOT NULL, outward TEXT NOT NULL,
  inward TEXT NOT NULL, is_default INTEGER NOT NULL DEFAULT 0, is_active INTEGER NOT NULL DEFAULT 1, color TEXT,
  sort_order REAL NOT NULL DEFAULT 65535, UNIQUE (workspace, name)
);
CREATE TABLE custom_relations (
  id TEXT PRIMARY KEY, {_AUDIT}, workspace TEXT NOT NULL, {_ITEM},
  related_issue TEXT NOT NULL REFERENCES items(id) ON DELETE CASCADE,
  definition TEXT NOT NULL REFERENCES relation_definitions(id) ON DELETE CASCADE,
  UNIQUE (issue, related_issue, definition)
);
CREATE INDEX custom_relations_by_related ON custom_relations (related_issue);
"""

# Bookkeeping and ornament; a grader who asks what changed means what people work with. Every column less also makes
# the triggers shorter, and their text is most of what opening a clone has to parse.
_HIDDEN = (
    "created_at", "updated_at", "created_by", "updated_by", "workspace", "sort_order", "view_props", "logo_props",
    "progress_snapshot", "version", "validation_rules", "description_text", "icon_prop", "emoji", "cover_image",
    "cover_image_asset", "slug", "extra", "metadata", "attachments",
)  # fmt: skip

TRACKED: Sequence[Tracked] = (
    Tracked("users"),
    Tracked("workspaces"),
    Tracked("workspace_members"),
    Tracked("projects", hide=(*_HIDDEN, "last_sequence")),
    Tracked("items", hide=(*_HIDDEN, "row", "listed", "description_stripped")),
    Tracked("comments", hide=(*_HIDDEN, "comment_stripped")),
    Tracked("attachments", hide=(*_HIDDEN, "blob")),
    Tracked("pages", hide=(*_HIDDEN, "description_stripped")),
    Tracked("stickies", hide=(*_HIDDEN, "description_stripped")),
    *(
        Tracked(table, hide=_HIDDEN)
        for table in (
            "project_members", "states", "labels", "estimates", "estimate_points", "item_assignees", "item_labels",
            "relations", "links", "cycles", "cycle_items", "modules", "module_members", "module_items", "intake_items",
            "worklogs", "item_types", "type_properties", "property_options", "property_values", "milestones",
            "milestone_items", "invitations", "relation_definitions", "custom_relations",
        )
    ),
)  # fmt: skip
