"""Writing the drive's part of a world into the snapshot: accounts, files with their content, and shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dayjob.company.blobs import CHUNK
from dayjob.company.drive.checksums import ContentWriter
from dayjob.company.drive.names import chain, free_name, join, name_of, parent_of
from dayjob.company.drive.rows import GROUP_SHARE, LINK_SHARE, USER_SHARE
from dayjob.company.drive.world.model import EVERYONE, Section
from dayjob.company.drive.world.times import Span
from dayjob.company.mime import FOLDER, mime_of
from dayjob.company.passwords import hash_password
from dayjob.company.world import Build

APPS = {"activity": False, "comments": False, "dav": True, "federatedfilesharing": False, "files": True,
        "files_sharing": True, "files_trashbin": True, "provisioning_api": True, "notifications": False,
        "files_versions": False}  # fmt: skip


def compile(section: Section, build: Build) -> None:
    db, ids = build.db, build.ids
    for key, value in (
        ("instance", "oc" + ids.hex(10)), ("quota", str(section.quota)), ("account", section.account),
    ):  # fmt: skip
        db.execute("INSERT INTO settings VALUES (?,?)", (key, value))
    db.executemany("INSERT INTO apps VALUES (?,?)", sorted(APPS.items()))
    db.execute("INSERT INTO groups VALUES ('admin')")
    if any(share.everyone for share in section.shares):
        db.execute("INSERT INTO groups VALUES (?)", (EVERYONE,))
    nodes: dict[tuple[str, str], int] = {}
    for account in section.accounts:
        tree, times = section.files.get(account.username, {}), section.times[account.username]
        _compile_files(account.username, tree, times, build, nodes)
        # Nobody can sign in to an account whose file names no password: an empty hash fits nothing.
        kept = "" if account.password is None else hash_password(account.password, ids.hex(16))
        db.execute(
            "INSERT INTO users (username, name, email, password, root) VALUES (?,?,?,?,?)",
            (account.username, account.name, account.email, kept, nodes[account.username, "/"]),
        )
        if account.admin:
            db.execute("INSERT INTO members VALUES ('admin', ?, 0)", (account.username,))
        if any(share.everyone for share in section.shares):
            db.execute("INSERT INTO members VALUES (?, ?, 0)", (EVERYONE, account.username))
    _compile_shares(section, build, nodes)


def _compile_files(
    owner: str,
    tree: dict[str, Path | None],
    times: dict[str, Span],
    build: Build,
    nodes: dict[tuple[str, str], int],
) -> None:
    totals: dict[str, int] = {}
    rows: list[list[Any]] = []
    for path in ["/", *sorted(tree)]:
        source, name, at = tree.get(path), name_of(path), times[path]
        etag = build.ids.hex(32)
        if source is None:
            totals.setdefault(path, 0)
            rows.append([owner, None, name, path, "folder", None, 0, FOLDER, etag, at.modified, 0, at.created, ""])
            continue
        writer = ContentWriter(build.blobs.writer(), None, source.stat().st_size)
        with source.open("rb") as file:
            while data := file.read(CHUNK):
                writer.write(data)
        content = writer.finish()
        for folder in chain(parent_of(path)):
            totals[folder] = totals.get(folder, 0) + content.blob.size
        rows.append([owner, None, name, path, "file", content.blob.hash, content.blob.size, mime_of(name),
                     etag, at.modified, 0, at.created, content.checksums])  # fmt: skip
    for row in rows:
        path = row[3]
        if path != "/":
            row[1] = nodes[owner, parent_of(path)]
        row[10] = totals.get(path, 0) if row[4] == "folder" else 0
        id = build.db.execute(
            "INSERT INTO nodes (owner, parent, name, path, kind, blob, size, mime, etag, mtime, total, created, "
            "checksums) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            row,
        ).lastrowid
        assert id is not None
        nodes[owner, path] = id


def _compile_shares(section: Section, build: Build, nodes: dict[tuple[str, str], int]) -> None:
    taken: dict[str, set[str]] = {
        account.username: {name_of(path) for path in section.files.get(account.username, {}) if parent_of(path) == "/"}
        for account in section.accounts
    }
    for share in section.shares:
        recipients: list[tuple[int, str | None, list[str]]] = [(USER_SHARE, one, [one]) for one in share.people]
        if share.everyone:
            recipients.append((GROUP_SHARE, EVERYONE, [account.username for account in section.accounts]))
        if share.public:
            recipients.append((LINK_SHARE, None, []))
        for kind, whom, usernames in recipients:
            public = kind == LINK_SHARE
            id = build.db.execute(
                "INSERT INTO shares (kind, node, path, owner, initiator, share_with, permissions, expires, name, "
                "token, password, created) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (kind, nodes[share.owner, share.path], share.path, share.owner, share.owner, whom, share.permissions,
                 share.expires, share.name, (share.token or build.ids.short(15)) if public else None,
                 hash_password(share.password, build.ids.hex(16)) if share.password else None, share.since),
            ).lastrowid  # fmt: skip
            for username in usernames:
                if username != share.owner:
                    name = free_name(name_of(share.path), taken[username])
                    taken[username].add(name)
                    build.db.execute("INSERT INTO mounts VALUES (?,?,?,?)", (username, join("/", name), "/", id))
