"""The forge's part of a snapshot: accounts, groups, projects and their work as rows; code as packed bare repositories.

The same world gives the same ids and the same SHAs. All repositories are written through one scratch object store and
packed one by one, so that two hundred small ones take seconds.
"""

from __future__ import annotations

import sqlite3
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pygit2
from pygit2.enums import FileMode

from dayjob import owned
from dayjob.company.clock import moment, stamp
from dayjob.company.forge.git.reading import commits_between, merge_base, message_of
from dayjob.company.forge.git.repositories import ZERO, git_environment, make_bare
from dayjob.company.forge.git.writing import merged_tree
from dayjob.company.forge.store.base import dumps
from dayjob.company.forge.store.issue_text import closed_issues, discussion_id, mentioned_issues
from dayjob.company.forge.store.users import digest, salted
from dayjob.company.forge.store.wiki_names import page_name
from dayjob.company.forge.world import START
from dayjob.company.forge.world_model import Comment, Group, Issue, Label, MergeRequest, Milestone, Project, Section
from dayjob.company.world import Build

SCOPES = ["api", "read_user", "read_repository", "write_repository", "sudo", "admin_mode"]


def compile_section(section: Section, build: Build) -> None:
    _Compiler(build).run(section)


class _Compiler:
    def __init__(self, build: Build) -> None:
        self.build = build
        self.db: sqlite3.Connection = build.db
        info = build.world.info
        self.start = stamp(info.now) if info.now else START
        self.users: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.namespaces: dict[str, int] = {}
        self.spoken: list[tuple[int, str, str]] = []

    def insert(self, table: str, /, **values: Any) -> int:
        marks = ",".join("?" * len(values))
        cursor = self.db.execute(f"INSERT INTO {table} ({','.join(values)}) VALUES ({marks})", tuple(values.values()))
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def run(self, section: Section) -> None:
        self.accounts()
        for group in section.groups:
            self.group(group)
        with tempfile.TemporaryDirectory(prefix=owned.prefix("forge")) as scratch:
            repo = pygit2.init_repository(scratch, bare=True)
            for project in section.projects:
                self.project(project, repo, section)
        self.links(section)

    # -- accounts ------------------------------------------------------------------------------------------------

    def accounts(self) -> None:
        world = self.build.world
        admin = world.info.accounts.get("forge", {})
        username = str(admin.get("username", "root"))
        if world.person(username) is None:
            self.account(
                username, str(admin.get("name", "Administrator")), str(admin.get("email", f"admin@{world.info.host}")),
                admin=True, password=admin.get("password"), token=admin.get("token"),
            )  # fmt: skip
        for person in world.people:
            own = person.more.get("forge")
            more: dict[str, Any] = dict(own) if isinstance(own, dict) else {}
            mine = person.username == username
            self.account(
                person.username,
                person.name,
                person.email,
                admin=mine or bool(more.get("admin")),
                password=more.get("password", person.password if not mine else admin.get("password")),
                token=more.get("token", admin.get("token") if mine else None),
                profile={
                    "job_title": person.title,
                    "bio": str(person.more.get("bio") or ""),
                    "organization": world.info.name,
                },
            )

    def account(
        self, username: str, name: str, email: str, *, admin: bool, password: Any, token: Any, profile: Any = None
    ) -> None:
        user_id = self.insert(
            "users",
            username=username,
            name=name,
            email=email,
            admin=int(admin),
            profile=dumps(profile or {}),
            created_at=START,
            confirmed_at=START,
        )
        self.users[username] = user_id
        self.names[username] = name
        if password is not None:
            salt = self.build.ids.hex(16)
            self.insert("passwords", user_id=user_id, salt=salt, hash=salted(salt, str(password)))
        if token is not None:
            self.insert(
                "tokens",
                kind="personal",
                user_id=user_id,
                name=f"{username}'s token",
                scopes=dumps(SCOPES),
                created_at=START,
                hash=digest(str(token)),
            )
        self.namespaces[username] = self.insert(
            "namespaces",
            kind="user",
            name=name,
            path=username,
            full_path=username,
            owner_id=user_id,
            visibility=20,
            created_at=START,
        )

    # -- groups --------------------------------------------------------------------------------------------------

    def group(self, group: Group) -> None:
        parent = group.path.rpartition("/")[0]
        group_id = self.insert(
            "namespaces",
            kind="group",
            name=group.name,
            path=group.path.rpartition("/")[2],
            full_path=group.path,
            parent_id=self.namespaces.get(parent),
            visibility=group.visibility,
            description=group.description,
            created_at=group.created,
            milestones_seq=len(group.milestones),
        )
        self.namespaces[group.path] = group_id
        self.members("Namespace", group_id, group.members, group.created)
        self.labels(group.labels, group_id=group_id)
        self.milestones(group.milestones, group.created, group_id=group_id)

    def members(self, kind: str, source: int, members: dict[str, int], at: str) -> None:
        for username, level in members.items():
            self.insert(
                "members",
                source_type=kind,
                source_id=source,
                user_id=self.users[username],
                access_level=level,
                created_at=at,
            )

    def labels(self, labels: list[Label], **place: int) -> None:
        for label in labels:
            self.insert("labels", name=label.name, color=label.color, description=label.description, **place)

    def milestones(self, milestones: list[Milestone], at: str, **place: int) -> None:
        for number, one in enumerate(milestones, 1):
            self.insert(
                "milestones",
                iid=number,
                title=one.title,
                description=one.description,
                state=one.state,
                due_date=one.due,
                start_date=one.start,
                created_at=at,
                updated_at=at,
                **place,
            )

    # -- projects ------------------------------------------------------------------------------------------------

    def project(self, project: Project, scratch: pygit2.Repository, section: Section) -> None:
        namespace = self.namespaces[project.group]
        opened = sum(one.state == "opened" for one in project.issues)
        moments = [project.created, *(one.at for one in project.issues), *(one.at for one in project.merge_requests)]
        project_id = self.insert(
            "projects",
            namespace_id=namespace,
            name=project.name,
            path=project.path,
            full_path=f"{project.group}/{project.path}",
            description=project.description,
            visibility=project.visibility,
            default_branch=project.default_branch,
            archived=int(project.archived),
            creator_id=self.users[project.author],
            topics=dumps(project.topics),
            settings=dumps(project.settings),
            open_issues_count=opened,
            created_at=project.created,
            updated_at=max(moments),
            last_activity_at=max(moments),
            issues_seq=project.issues[-1].number if project.issues else 0,
            merge_requests_seq=len(project.merge_requests),
            milestones_seq=len(project.milestones),
        )
        members = dict(project.members)
        if project.group in self.users:
            members.setdefault(project.group, 50)
        self.members("Project", project_id, members, project.created)
        self.labels(project.labels, project_id=project_id)
        self.milestones(project.milestones, project.created, project_id=project_id)
        for name, push, merge, force in project.protected:
            self.insert(
                "protected_refs",
                project_id=project_id,
                kind="branch",
                name=name,
                push_level=push,
                merge_level=merge,
                allow_force_push=int(force),
            )
        refs, merges = self.code(project, project_id, scratch)
        for issue in project.issues:
            self.issue(project, project_id, issue)
        for iid, request in enumerate(project.merge_requests, 1):
            self.merge_request(project, project_id, iid, request, scratch, refs, merges)
        if project.settings.get("remove_source_branch_after_merge"):
            for one in project.merge_requests:
                if one.state == "merged":
                    refs.pop(f"refs/heads/{one.source}", None)
        self.write_repository(str(project_id), scratch, refs, project.default_branch)
        self.insert_refs(project_id, refs)
        for release in project.releases:
            self.insert(
                "releases",
                project_id=project_id,
                tag_name=release.tag,
                name=release.name,
                description=release.description,
                author_id=self.users[release.author],
                sha=refs.get(f"refs/tags/{release.tag}"),
                created_at=release.at,
                released_at=release.at,
            )
        self.wiki(project, project_id, scratch)

    # -- code ----------------------------------------------------------------------------------------------------

    def code(
        self, project: Project, project_id: int, repo: pygit2.Repository
    ) -> tuple[dict[str, str], dict[str, tuple[str, str, str]]]:
        """Write the history; returns refs and, per merged branch, (merge commit, target before, branch head)."""
        refs: dict[str, str] = {}
        merges: dict[str, tuple[str, str, str]] = {}
        if project.bundle is not None:
            refs = self.bundle(project.bundle, repo, project_id)
        for one in project.history:
            name = f"refs/heads/{one.branch}"
            parent = refs.get(name) or (refs.get(f"refs/heads/{one.start}") if one.start else None)
            parents = [parent] if parent else []
            index = pygit2.Index()
            if parent:
                base = repo[parent]
                assert isinstance(base, pygit2.Commit)
                index.read_tree(base.tree)
            if one.merge and parent:
                head = refs[f"refs/heads/{one.merge}"]
                merged = repo[merged_tree(repo, parent, head)]
                assert isinstance(merged, pygit2.Tree)
                index.read_tree(merged)
                parents.append(head)
            for path, content in sorted(one.files.items()):
                if content is None:
                    index.remove(path)
                    continue
                mode = FileMode.BLOB_EXECUTABLE if content[1] else FileMode.BLOB
                index.add(pygit2.IndexEntry(path, repo.create_blob(content[0]), mode))
            signature = pygit2.Signature(one.author.name, one.author.email, one.at, 0)
            sha = str(repo.create_commit(None, signature, signature, one.message, index.write_tree(repo), parents))
            refs[name] = sha
            if one.merge and parent:
                merges[one.merge] = (sha, parent, parents[1])
            if one.tag:
                refs[f"refs/tags/{one.tag}"] = (
                    str(
                        repo.create_tag(one.tag, sha, pygit2.enums.ObjectType.COMMIT, signature, one.tag_message + "\n")
                    )
                    if one.tag_message
                    else sha
                )
        self.note_code(project, project_id, repo, refs)
        return refs, merges

    def bundle(self, bundle: Path, repo: pygit2.Repository, project_id: int) -> dict[str, str]:
        """The branches and tags of a bundle, fetched into the scratch store under the project's own corner."""
        corner = f"refs/bundle/{project_id}/"
        subprocess.run(
            [
                "git",
                "-C",
                repo.path,
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                str(bundle),
                f"refs/heads/*:{corner}heads/*",
                f"refs/tags/*:{corner}tags/*",
            ],
            env=git_environment(),
            check=True,
            capture_output=True,
            timeout=600,
        )
        return {
            "refs/" + name.removeprefix(corner): str(repo.lookup_reference(name).target)
            for name in sorted(repo.references)
            if name.startswith(corner)
        }

    def note_code(self, project: Project, project_id: int, repo: pygit2.Repository, refs: dict[str, str]) -> None:
        head = refs.get(f"refs/heads/{project.default_branch}")
        if head is None:
            return
        commit = repo[head]
        assert isinstance(commit, pygit2.Commit)
        names = [one.name or "" for one in commit.tree]
        readme = next((name for name in sorted(names) if name.lower().startswith("readme")), None)
        count = sum(1 for _ in repo.walk(commit.id))
        self.db.execute("UPDATE projects SET empty=0, readme=?, commit_count=? WHERE id=?", (readme, count, project_id))

    def insert_refs(self, project_id: int, refs: dict[str, str]) -> None:
        for name, sha in sorted(refs.items()):
            if not name.startswith("refs/merge-requests/"):
                self.insert("refs", project_id=project_id, name=name, sha=sha)

    def write_repository(self, name: str, scratch: pygit2.Repository, refs: dict[str, str], head: str) -> None:
        """A bare repository with one pack that holds exactly what the refs reach."""
        if not refs:
            return
        folder = self.build.git / f"{name}.git"
        make_bare(folder, head)
        pack = pygit2.PackBuilder(scratch)
        pack.set_threads(1)
        seen: set[str] = set()
        lines = ["# pack-refs with: peeled fully-peeled sorted \n"]
        for ref, sha in sorted(refs.items()):
            lines.append(f"{sha} {ref}\n")
            named = scratch[sha]
            target = named.peel(pygit2.Commit)
            if isinstance(named, pygit2.Tag):
                pack.add(named.id)
                lines.append(f"^{target.id}\n")
            for commit in scratch.walk(target.id):
                if str(commit.id) not in seen:
                    seen.add(str(commit.id))
                    pack.add_recur(commit.id)
        pack.write(str(folder / "objects" / "pack"))
        (folder / "packed-refs").write_text("".join(lines))
        if name.isdigit():
            size = sum(file.stat().st_size for file in (folder / "objects" / "pack").iterdir())
            self.db.execute("UPDATE projects SET repository_size=? WHERE id=?", (size, int(name)))

    def wiki(self, project: Project, project_id: int, repo: pygit2.Repository) -> None:
        if not project.wiki:
            return
        index = pygit2.Index()
        for path, text in sorted(project.wiki.items()):
            index.add(pygit2.IndexEntry(path, repo.create_blob(text.encode()), FileMode.BLOB))
            slug, title, form = page_name(path)
            self.insert(
                "wiki_pages",
                owner_type="project",
                owner_id=project_id,
                slug=slug,
                title=title,
                format=form,
                content=text,
            )
        person = self.build.world.person(project.author)
        email = person.email if person else f"admin@{self.build.world.info.host}"
        time = int(moment(project.created).timestamp())
        signature = pygit2.Signature(self.names[project.author], email, time, 0)
        sha = str(repo.create_commit(None, signature, signature, "Write the wiki\n", index.write_tree(repo), []))
        self.write_repository(f"{project_id}.wiki", repo, {"refs/heads/main": sha}, "main")

    # -- work ----------------------------------------------------------------------------------------------------

    def named_id(self, table: str, column: str, name: str, project: Project, project_id: int) -> int | None:
        """A label or milestone of the project or of a group above it."""
        row = self.db.execute(
            f"SELECT id FROM {table} WHERE project_id=? AND {column}=?", (project_id, name)
        ).fetchone()
        group = project.group
        while row is None and group:
            row = self.db.execute(
                f"SELECT id FROM {table} WHERE group_id=? AND {column}=?", (self.namespaces.get(group), name)
            ).fetchone()
            group = group.rpartition("/")[0]
        return row[0] if row else None

    def tags(self, kind: str, item_id: int, project: Project, project_id: int, one: Issue | MergeRequest) -> None:
        for label in one.labels:
            self.insert(
                "label_links",
                label_id=self.named_id("labels", "name", label, project, project_id),
                item_type=kind,
                item_id=item_id,
            )
        people = {"assignee": one.assignees, "reviewer": one.reviewers if isinstance(one, MergeRequest) else []}
        for role, names in people.items():
            for position, username in enumerate(dict.fromkeys(names)):
                self.insert(
                    "people",
                    item_type=kind,
                    item_id=item_id,
                    role=role,
                    user_id=self.users[username],
                    position=position,
                )

    def comments(
        self, kind: str, item_id: int, project_id: int, comments: list[Comment], shas: dict[str, str] | None = None
    ) -> None:
        for first in comments:
            shared: dict[str, Any] = {
                "noteable_type": kind,
                "noteable_id": item_id,
                "project_id": project_id,
                "discussion_id": discussion_id(self.build.ids),
            }
            if first.place or first.replies or first.resolved_by:
                shared |= {
                    "type": "DiffNote" if first.place else "DiscussionNote",
                    "resolvable": int(kind == "MergeRequest"),
                }
            if first.place and shas is not None:
                path, line = first.place
                shared["position"] = dumps(
                    {
                        **shas, "old_path": path, "new_path": path, "position_type": "text", "old_line": None,
                        "new_line": line, "line_range": None,
                    }
                )  # fmt: skip
            if first.resolved_by:
                shared |= {
                    "resolved": 1,
                    "resolved_by": self.users[first.resolved_by],
                    "resolved_at": max(one.at for one in (first, *first.replies)),
                }
            for one in (first, *first.replies):
                self.insert(
                    "notes",
                    author_id=self.users[one.author],
                    body=one.body,
                    created_at=one.at,
                    updated_at=one.at,
                    **shared,
                )

    def links(self, section: Section) -> None:
        """What relates to what, once every project's issues have their ids: by hand, and by what requests say."""
        ids = {
            (str(path), int(iid)): int(issue)
            for path, iid, issue in self.db.execute(
                "SELECT p.full_path, i.iid, i.id FROM issues i JOIN projects p ON p.id=i.project_id"
            )
        }
        for project in section.projects:
            for one in project.issues:
                for target in one.links:
                    self.insert(
                        "issue_links",
                        source_id=ids[f"{project.group}/{project.path}", one.number],
                        target_id=ids[target],
                        link_type="relates_to",
                        created_at=one.at,
                    )
        for request, home, words in self.spoken:
            closing = set(closed_issues(words))
            for path, iid in dict.fromkeys(mentioned_issues(words)):
                place = path if "/" in path else home
                if (place, iid) in ids and path in ("", home.rpartition("/")[2], place):
                    self.db.execute(
                        "INSERT OR REPLACE INTO closings VALUES (?,?,?)",
                        (request, ids[place, iid], int((path, iid) in closing)),
                    )

    def ids(self, usernames: list[str]) -> str:
        return dumps([self.users[name] for name in dict.fromkeys(usernames)])

    def event(
        self, project_id: int, author: str, action: str, kind: str, item: int, iid: int, title: str, at: str
    ) -> None:
        self.insert(
            "events",
            project_id=project_id,
            author_id=self.users[author],
            action=action,
            target_type=kind,
            target_id=item,
            target_iid=iid,
            target_title=title,
            created_at=at,
        )

    def issue(self, project: Project, project_id: int, one: Issue) -> None:
        milestone = self.named_id("milestones", "title", one.milestone, project, project_id) if one.milestone else None
        said = [comment.at for first in one.comments for comment in (first, *first.replies)]
        latest = max([one.at, *said, *([one.closed] if one.closed else [])])
        issue_id = self.insert(
            "issues",
            project_id=project_id,
            iid=one.number,
            title=one.title,
            description=one.description,
            state=one.state,
            author_id=self.users[one.author],
            milestone_id=milestone,
            weight=one.weight,
            due_date=one.due,
            confidential=int(one.confidential),
            created_at=one.at,
            updated_at=latest,
            closed_at=one.closed,
            closed_by=self.users[one.closed_by] if one.closed and one.closed_by else None,
            user_notes_count=_count(one.comments),
            labels=dumps(sorted(one.labels)),
            assignees=self.ids(one.assignees),
        )
        self.tags("Issue", issue_id, project, project_id, one)
        self.comments("Issue", issue_id, project_id, one.comments)
        self.event(project_id, one.author, "opened", "Issue", issue_id, one.number, one.title, one.at)

    def merge_request(
        self,
        project: Project,
        project_id: int,
        iid: int,
        one: MergeRequest,
        repo: pygit2.Repository,
        refs: dict[str, str],
        merges: dict[str, tuple[str, str, str]],
    ) -> None:
        milestone = self.named_id("milestones", "title", one.milestone, project, project_id) if one.milestone else None
        if one.state == "merged":
            merge_sha, start, head = merges[one.source]
        else:
            merge_sha, start, head = "", refs[f"refs/heads/{one.target}"], refs[f"refs/heads/{one.source}"]
        base = merge_base(repo, start, head) or ZERO
        refs[f"refs/merge-requests/{iid}/head"] = head
        done_by = self.users[one.done_by] if one.done and one.done_by else None
        merged, closed = one.state == "merged", one.state == "closed"
        request_id = self.insert(
            "merge_requests",
            project_id=project_id,
            iid=iid,
            source_project_id=project_id,
            source_branch=one.source,
            target_branch=one.target,
            title=one.title,
            description=one.description,
            state=one.state,
            author_id=self.users[one.author],
            milestone_id=milestone,
            created_at=one.at,
            updated_at=one.done or one.at,
            prepared_at=one.at,
            merged_at=one.done if merged else None,
            merged_by=done_by if merged else None,
            closed_at=one.done if closed else None,
            closed_by=done_by if closed else None,
            merge_commit_sha=merge_sha or None,
            head_sha=head,
            base_sha=base,
            start_sha=start,
            merge_status="can_be_merged" if merged else "unchecked",
            user_notes_count=_count(one.comments),
            labels=dumps(sorted(one.labels)),
            assignees=self.ids(one.assignees),
            reviewers=self.ids(one.reviewers),
        )
        self.insert(
            "merge_request_versions",
            merge_request_id=request_id,
            head_sha=head,
            base_sha=base,
            start_sha=start,
            created_at=one.at,
        )
        for username in one.approved_by:
            self.insert(
                "approvals", merge_request_id=request_id, user_id=self.users[username], created_at=one.done or one.at
            )
        self.tags("MergeRequest", request_id, project, project_id, one)
        shas = {"base_sha": base, "start_sha": start, "head_sha": head}
        self.comments("MergeRequest", request_id, project_id, one.comments, shas)
        messages = [message_of(commit) for commit in commits_between(repo, base, head)[:100]] if base != ZERO else []
        words = "\n".join([one.title, one.description or "", *messages])
        self.spoken.append((request_id, f"{project.group}/{project.path}", words))
        self.event(project_id, one.author, "opened", "MergeRequest", request_id, iid, one.title, one.at)


def _count(comments: list[Comment]) -> int:
    return sum(1 + len(one.replies) for one in comments)
