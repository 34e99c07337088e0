"""Code as packed bare repositories, written through one scratch store and packed one by one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from dayjob.company.clock import moment
from dayjob.company.forge.git.repositories import git_environment, make_bare
from dayjob.company.forge.git.writing import merged_tree
from dayjob.company.forge.store.wiki_names import page_name
from dayjob.company.forge.world.bundles import HOW
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.model import Project
from dayjob.company.world import Problem, WorldError


def write_code(
    rows: Rows, project: Project, project_id: int, repo: pygit2.Repository
) -> tuple[dict[str, str], dict[str, tuple[str, str, str]]]:
    """Write the history; returns refs and, per merged branch, (merge commit, target before, branch head)."""
    refs: dict[str, str] = {}
    merges: dict[str, tuple[str, str, str]] = {}
    if project.bundle is not None:
        refs = _bundle(rows, project, project.bundle, repo, project_id)
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
                str(repo.create_tag(one.tag, sha, pygit2.enums.ObjectType.COMMIT, signature, one.tag_message + "\n"))
                if one.tag_message
                else sha
            )
    _note_code(rows, project, project_id, repo, refs)
    return refs, merges


def _bundle(rows: Rows, project: Project, bundle: Path, repo: pygit2.Repository, project_id: int) -> dict[str, str]:
    """The branches and tags of a bundle, fetched into the scratch store under the project's own corner."""
    corner = f"refs/bundle/{project_id}/"
    refs = (f"refs/heads/*:{corner}heads/*", f"refs/tags/*:{corner}tags/*")
    fetch = ["git", "-C", repo.path, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", str(bundle.absolute())]
    done = subprocess.run([*fetch, *refs], env=git_environment(), capture_output=True, timeout=600)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no word of why"]
        file = f"forge/projects/{project.group}/{project.path}/repo.bundle"
        words = f"git cannot read this bundle: {said[-1].rstrip('.')}."
        raise WorldError(rows.build.world.files.folder, [Problem("forge", file, 0, words, HOW)])
    return {
        "refs/" + name.removeprefix(corner): str(repo.lookup_reference(name).target)
        for name in sorted(repo.references)
        if name.startswith(corner)
    }


def _note_code(rows: Rows, project: Project, project_id: int, repo: pygit2.Repository, refs: dict[str, str]) -> None:
    head = refs.get(f"refs/heads/{project.default_branch}")
    if head is None:
        return
    commit = repo[head]
    assert isinstance(commit, pygit2.Commit)
    names = [one.name or "" for one in commit.tree]
    readme = next((name for name in sorted(names) if name.lower().startswith("readme")), None)
    count = sum(1 for _ in repo.walk(commit.id))
    rows.db.execute("UPDATE projects SET empty=0, readme=?, commit_count=? WHERE id=?", (readme, count, project_id))


def add_refs(rows: Rows, project_id: int, refs: dict[str, str]) -> None:
    for name, sha in sorted(refs.items()):
        if not name.startswith("refs/merge-requests/"):
            rows.insert("refs", project_id=project_id, name=name, sha=sha)


def write_repository(rows: Rows, name: str, scratch: pygit2.Repository, refs: dict[str, str], head: str) -> None:
    """A bare repository with one pack that holds exactly what the refs reach."""
    if not refs:
        return
    folder = rows.build.git / f"{name}.git"
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
        rows.db.execute("UPDATE projects SET repository_size=? WHERE id=?", (size, int(name)))


def write_wiki(rows: Rows, project: Project, project_id: int, repo: pygit2.Repository) -> None:
    if not project.wiki:
        return
    index = pygit2.Index()
    for path, text in sorted(project.wiki.items()):
        index.add(pygit2.IndexEntry(path, repo.create_blob(text.encode()), FileMode.BLOB))
        slug, title, form = page_name(path)
        rows.insert(
            "wiki_pages",
            owner_type="project",
            owner_id=project_id,
            slug=slug,
            title=title,
            format=form,
            content=text,
        )
    person = rows.build.world.person(project.author)
    email = person.email if person else f"admin@{rows.build.world.info.host}"
    time = int(moment(project.created).timestamp())
    signature = pygit2.Signature(rows.names[project.author], email, time, 0)
    sha = str(repo.create_commit(None, signature, signature, "Write the wiki\n", index.write_tree(repo), []))
    write_repository(rows, f"{project_id}.wiki", repo, {"refs/heads/main": sha}, "main")
