"""Chat's tables: accounts, rooms, memberships, messages and what administrators keep.

Lists and maps that are only ever read whole are JSON text. Passwords and tokens have tables of their own, which are
not tracked, so they cannot reach the journal.
"""

from __future__ import annotations

from dayjob.company.changes import Tracked

SCHEMA = """
CREATE TABLE users (
    id TEXT PRIMARY KEY, username TEXT COLLATE NOCASE UNIQUE, name TEXT NOT NULL, email TEXT COLLATE NOCASE,
    email_verified INTEGER NOT NULL DEFAULT 0, type TEXT NOT NULL DEFAULT 'user',
    roles TEXT NOT NULL DEFAULT '["user"]',
    active INTEGER NOT NULL DEFAULT 1, bio TEXT, nickname TEXT, status TEXT NOT NULL DEFAULT 'offline',
    status_default TEXT NOT NULL DEFAULT 'online', status_text TEXT NOT NULL DEFAULT '', avatar TEXT, avatar_type TEXT,
    avatar_etag TEXT, language TEXT, preferences TEXT NOT NULL DEFAULT '{}', custom_fields TEXT,
    must_change_password INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_login TEXT
);
CREATE UNIQUE INDEX users_by_email ON users (email) WHERE email IS NOT NULL;
CREATE INDEX users_by_name ON users (name COLLATE NOCASE);
CREATE TABLE passwords (user_id TEXT PRIMARY KEY, hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tokens (
    hash TEXT PRIMARY KEY, user_id TEXT NOT NULL, name TEXT, last_part TEXT NOT NULL, bypass INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX tokens_by_user ON tokens (user_id, name);

CREATE TABLE rooms (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT COLLATE NOCASE, fname TEXT, owner_id TEXT, topic TEXT,
    announcement TEXT, description TEXT, read_only INTEGER NOT NULL DEFAULT 0,
    react_read_only INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0, is_default INTEGER NOT NULL DEFAULT 0, featured INTEGER NOT NULL DEFAULT 0,
    broadcast INTEGER NOT NULL DEFAULT 0, encrypted INTEGER NOT NULL DEFAULT 0, join_code TEXT, custom_fields TEXT,
    muted TEXT NOT NULL DEFAULT '[]', uids TEXT, parent_id TEXT, team_id TEXT, team_main INTEGER NOT NULL DEFAULT 0,
    team_default INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_at TEXT,
    last_message TEXT, messages INTEGER NOT NULL DEFAULT 0, members INTEGER NOT NULL DEFAULT 0, hidden_lines TEXT
);
CREATE UNIQUE INDEX rooms_by_name ON rooms (name) WHERE name IS NOT NULL;
CREATE INDEX rooms_by_type ON rooms (type, name);
CREATE INDEX rooms_by_parent ON rooms (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX rooms_by_team ON rooms (team_id) WHERE team_id IS NOT NULL;

CREATE TABLE memberships (
    id TEXT PRIMARY KEY, room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, room_type TEXT NOT NULL,
    roles TEXT NOT NULL DEFAULT '[]', open INTEGER NOT NULL DEFAULT 1, alert INTEGER NOT NULL DEFAULT 0,
    favorite INTEGER NOT NULL DEFAULT 0, unread INTEGER NOT NULL DEFAULT 0, user_mentions INTEGER NOT NULL DEFAULT 0,
    group_mentions INTEGER NOT NULL DEFAULT 0, unread_threads TEXT NOT NULL DEFAULT '[]', last_seen TEXT,
    ignored TEXT NOT NULL DEFAULT '[]', notifications TEXT NOT NULL DEFAULT '{}', blocked INTEGER NOT NULL DEFAULT 0,
    blocker INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE UNIQUE INDEX memberships_by_room ON memberships (room_id, user_id);
CREATE INDEX memberships_by_user ON memberships (user_id, room_type);
CREATE INDEX memberships_with_roles ON memberships (room_id) WHERE roles != '[]';
CREATE TABLE left_rooms (membership_id TEXT PRIMARY KEY, room_id TEXT, user_id TEXT, at TEXT) WITHOUT ROWID;
CREATE INDEX left_rooms_by_user ON left_rooms (user_id, at);

CREATE TABLE messages (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, room_id TEXT NOT NULL REFERENCES rooms (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL, username TEXT NOT NULL, user_name TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL,
    type TEXT, alias TEXT, avatar TEXT, emoji TEXT, groupable INTEGER NOT NULL DEFAULT 1, thread_id TEXT,
    thread_shown INTEGER NOT NULL DEFAULT 0, replies INTEGER NOT NULL DEFAULT 0, last_reply_at TEXT,
    followers TEXT NOT NULL DEFAULT '[]', edited_at TEXT, edited_by TEXT, pinned INTEGER NOT NULL DEFAULT 0,
    pinned_at TEXT,
    pinned_by TEXT, reactions TEXT NOT NULL DEFAULT '{}', attachments TEXT, files TEXT, urls TEXT NOT NULL DEFAULT '[]',
    mentions TEXT NOT NULL DEFAULT '[]', channels TEXT NOT NULL DEFAULT '[]', discussion_id TEXT, custom_fields TEXT,
    bot TEXT, updated_at TEXT NOT NULL
);
CREATE INDEX messages_by_room ON messages (room_id, at);
CREATE INDEX messages_by_change ON messages (room_id, updated_at);
CREATE INDEX messages_by_thread ON messages (thread_id, at) WHERE thread_id IS NOT NULL;
CREATE INDEX messages_with_threads ON messages (room_id, last_reply_at) WHERE replies > 0;
CREATE INDEX messages_pinned ON messages (room_id, at) WHERE pinned;
CREATE INDEX messages_of_discussions ON messages (room_id, at) WHERE discussion_id IS NOT NULL;
CREATE INDEX messages_by_user ON messages (user_id);
-- The room stands in the index too, so that a search in one room does not walk through all the others' matches.
CREATE VIRTUAL TABLE messages_text USING fts5 (text, room_id, content='messages', content_rowid='seq');
CREATE TRIGGER messages_text_added AFTER INSERT ON messages BEGIN
    INSERT INTO messages_text (rowid, text, room_id) VALUES (NEW.seq, NEW.text, NEW.room_id); END;
CREATE TRIGGER messages_text_removed AFTER DELETE ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text, room_id)
        VALUES ('delete', OLD.seq, OLD.text, OLD.room_id); END;
CREATE TRIGGER messages_text_changed AFTER UPDATE OF text ON messages BEGIN
    INSERT INTO messages_text (messages_text, rowid, text, room_id)
        VALUES ('delete', OLD.seq, OLD.text, OLD.room_id);
    INSERT INTO messages_text (rowid, text, room_id) VALUES (NEW.seq, NEW.text, NEW.room_id); END;
CREATE TABLE deleted_messages (id TEXT PRIMARY KEY, room_id TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX deleted_messages_by_room ON deleted_messages (room_id, at);
CREATE TABLE mentions (
    user_id TEXT NOT NULL, room_id TEXT NOT NULL,
    message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
    PRIMARY KEY (user_id, room_id, message_seq)
) WITHOUT ROWID;
CREATE INDEX mentions_by_message ON mentions (message_seq);
CREATE TABLE stars (
    user_id TEXT NOT NULL, room_id TEXT NOT NULL,
    message_seq INTEGER NOT NULL REFERENCES messages (seq) ON DELETE CASCADE,
    PRIMARY KEY (user_id, room_id, message_seq)
) WITHOUT ROWID;
CREATE INDEX stars_by_message ON stars (message_seq);

CREATE TABLE uploads (
    id TEXT PRIMARY KEY, room_id TEXT NOT NULL, user_id TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
    size INTEGER NOT NULL, blob TEXT NOT NULL, description TEXT, complete INTEGER NOT NULL DEFAULT 0,
    uploaded_at TEXT NOT NULL
);
CREATE INDEX uploads_by_room ON uploads (room_id, uploaded_at);

CREATE TABLE roles (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, scope TEXT NOT NULL DEFAULT 'Users',
    description TEXT NOT NULL DEFAULT '',
    protected INTEGER NOT NULL DEFAULT 0, mandatory_2fa INTEGER NOT NULL DEFAULT 0, updated_at TEXT NOT NULL
);
CREATE TABLE permissions (id TEXT PRIMARY KEY, roles TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE settings (
    id TEXT PRIMARY KEY, value TEXT NOT NULL, type TEXT NOT NULL, public INTEGER NOT NULL, section TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE TABLE teams (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, type INTEGER NOT NULL, room_id TEXT NOT NULL,
    created_by TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE team_members (
    team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE, user_id TEXT NOT NULL,
    roles TEXT NOT NULL DEFAULT '[]',
    created_by TEXT NOT NULL, created_at TEXT NOT NULL, PRIMARY KEY (team_id, user_id)
) WITHOUT ROWID;
CREATE INDEX team_members_by_user ON team_members (user_id);
CREATE TABLE invites (
    id TEXT PRIMARY KEY, room_id TEXT NOT NULL, user_id TEXT NOT NULL, days INTEGER NOT NULL, max_uses INTEGER NOT NULL,
    uses INTEGER NOT NULL DEFAULT 0, expires TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE statuses (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, status TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE emojis (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, aliases TEXT NOT NULL DEFAULT '[]', extension TEXT NOT NULL,
    blob TEXT NOT NULL, type TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE sounds (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, extension TEXT NOT NULL, updated_at TEXT NOT NULL);
CREATE TABLE assets (name TEXT PRIMARY KEY, blob TEXT NOT NULL, type TEXT NOT NULL);
CREATE TABLE integrations (
    id TEXT PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, enabled INTEGER NOT NULL, username TEXT NOT NULL,
    user_id TEXT NOT NULL, channels TEXT NOT NULL, facts TEXT NOT NULL DEFAULT '{}', token TEXT NOT NULL,
    created_by TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
);
CREATE TABLE reports (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, message TEXT, message_id TEXT, room_id TEXT, user_id TEXT NOT NULL,
    description TEXT NOT NULL, reported_by TEXT NOT NULL, at TEXT NOT NULL, hidden INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX reports_by_user ON reports (user_id, kind);
CREATE TABLE visitors (
    id TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, username TEXT NOT NULL, name TEXT, facts TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE TABLE inquiries (
    id TEXT PRIMARY KEY, room_id TEXT NOT NULL UNIQUE, visitor_id TEXT NOT NULL, name TEXT NOT NULL,
    status TEXT NOT NULL,
    agent_id TEXT, at TEXT NOT NULL, updated_at TEXT NOT NULL
);
"""

# Columns that only keep books (counters,
# times of last use) are hidden: a change there says nothing about anyone's work.
TRACKED = (
    Tracked("users", hide=("status", "updated_at", "last_login", "avatar_etag")),
    Tracked("rooms", hide=("updated_at", "last_at", "last_message", "messages", "members", "join_code")),
    Tracked(
        "memberships",
        hide=(
            "open",
            "alert",
            "unread",
            "user_mentions",
            "group_mentions",
            "unread_threads",
            "last_seen",
            "updated_at",
        ),
    ),
    Tracked("messages", hide=("seq", "updated_at", "replies", "last_reply_at", "urls")),
    Tracked("uploads", hide=("blob",)),
    Tracked("roles", hide=("updated_at",)),
    Tracked("permissions", hide=("updated_at",)),
    Tracked("settings", hide=("updated_at",)),
    Tracked("teams", hide=("updated_at",)),
    Tracked("invites", hide=("updated_at",)),
    Tracked("statuses", hide=("updated_at",)),
    Tracked("emojis", hide=("updated_at", "blob")),
    Tracked("integrations", hide=("updated_at", "token")),
    Tracked("sounds", hide=("updated_at",)),
    Tracked("assets", key="name", hide=("blob",)),
    Tracked("reports"),
    Tracked("visitors", hide=("token",)),
    Tracked("inquiries", hide=("updated_at",)),
)
