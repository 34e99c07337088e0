"""A project's code in a world: a plain tree, a bundle, or a scripted history."""

from __future__ import annotations

import os

import pygit2

from dayjob.company.forge.world.bundles import HOW, BadBundle, Bundle, read_bundle
from dayjob.company.forge.world.ci_file import check_ci_file
from dayjob.company.forge.world.model import (
    Commit,
    Project,
)
from dayjob.company.forge.world.patches import BadPatch, Tree, Trees
from dayjob.company.forge.world.reader import Reader
from dayjob.company.world import Located
from dayjob.company.world.yaml import parse_moment


def _tree(reader: Reader, prefix: str) -> Tree:
    found: Tree = {}
    for name in reader.files.under(prefix):
        path = reader.files.path(name)
        found[name.removeprefix(prefix)] = (path.read_bytes(), os.access(path, os.X_OK))
    return found


def find_bundle(reader: Reader, folder: str) -> Bundle | None:
    """What a project's bundle brings; None without one, and with a problem when it cannot be used."""
    file = f"{folder}/repo.bundle"
    if file not in reader.files:
        return None
    try:
        return read_bundle(reader.files.path(file))
    except BadBundle as error:
        reader.wrong(file, 0, str(error), HOW)
        return None


def read_code(reader: Reader, project: Project, folder: str, bundle: Bundle | None, *, broken_ci: bool) -> None:
    if bundle is not None:
        project.bundle = reader.files.path(f"{folder}/repo.bundle")
    source = _tree(reader, f"{folder}/source/")
    file = f"{folder}/history.yml"
    entries = reader.mappings(reader.world.yaml(file), file, "commits") if file in reader.files else []
    if source and not any(one.get("source") for one in entries):
        signer = reader.signer(project.author, file, 0)
        first = parse_moment(project.created)
        assert first is not None
        project.history.append(
            Commit(
                signer,
                int(first.timestamp()),
                "Initial commit\n",
                project.default_branch,
                None,
                source,
                None,
                None,
                None,
            )
        )
    trees = Trees()
    written: dict[str, int] = {}
    for made in project.history:
        trees.start(made.branch, None)
        trees.commit(made.branch, made.files)
    for one in entries:
        before = dict(trees.at.get(project.default_branch, {}))
        _commit(reader, project, one, file, folder, source, trees)
        after = trees.at.get(project.default_branch, {})
        written |= {path: one.line for path, content in after.items() if before.get(path) is not content}
    if not broken_ci:
        check_ci_file(reader, project, folder, trees.at.get(project.default_branch, {}), written)
    if bundle is not None and project.default_branch not in {*bundle.branches, *trees.at} and bundle.branches:
        reader.wrong(
            f"{folder}/project.yml", 0, f"There is no branch '{project.default_branch}' in repo.bundle.",
            f"Leave default_branch out, or write one of: {', '.join(bundle.branches[:20])}.", "dangling",
        )  # fmt: skip


def _commit(reader: Reader, project: Project, one: Located, file: str, folder: str, source: Tree, trees: Trees) -> None:
    reader.keys(
        one,
        {
            "author", "at", "message", "branch", "from", "files", "folder", "source", "patch", "merge", "tag",
            "tag_message",
        },
        file,
    )  # fmt: skip
    branches = trees.at
    branch = str(one.get("branch", project.default_branch))
    if not pygit2.reference_is_valid_name(f"refs/heads/{branch}"):
        reader.wrong(file, one.at("branch"), f"'{branch}' cannot be a branch's name.", "See git check-ref-format.")
        return
    start = one.get("from", project.default_branch if branch not in branches and branches else None)
    for key, name in (("from", start), ("merge", one.get("merge"))):
        if name is not None and str(name) not in branches:
            reader.wrong(
                file, one.at(key), f"No branch '{name}' exists at this point of the history.", "Make it first."
            )
            return
    if branch not in branches:
        trees.start(branch, None if start is None else str(start))
    if "merge" in one:
        trees.merge(branch, str(one["merge"]))
    files = _from_source(reader, one, source, file)
    if one.get("folder") is not None:
        prefix = f"{folder}/history/{one['folder']}/"
        added = _tree(reader, prefix)
        if not added:
            reader.wrong(file, one.at("folder"), f"There are no files in '{prefix}'.", "Put the commit's files there.")
        files.update(added)
    inline = one.get("files")
    if isinstance(inline, Located):
        for path, content in inline.items():
            files[path] = None if content is None else (str(content).encode(), False)
    elif inline is not None:
        reader.wrong(file, one.at("files"), "'files' maps a path to its content.", "Write README.md: |")
    trees.commit(branch, files)
    files.update(_patched(reader, one, trees, branch, file))
    trees.commit(branch, files)
    moment = parse_moment(one.get("at"))
    if moment is None:
        reader.wrong(file, one.at("at"), f"'{one.get('at')}' is not a date and time.", "Write 2026-03-02T09:30:00Z.")
        return
    message = reader.needed(one, "message", file)
    project.history.append(
        Commit(
            reader.signer(one.get("author", project.author), file, one.at("author")),
            int(moment.timestamp()),
            message + "\n",
            branch,
            str(start) if start is not None else None,
            files,
            str(one["merge"]) if "merge" in one else None,
            reader.optional(one, "tag"),
            reader.optional(one, "tag_message"),
        )
    )


def _patched(reader: Reader, one: Located, trees: Trees, branch: str, file: str) -> Tree:
    patches = reader.mapping(one, "patch", file, "a path to its hunks", "Write README.md: | and then @@.")
    found: Tree = {}
    for path, patch in patches.items():
        try:
            found[path] = trees.patched(branch, path, str(patch))
        except (BadPatch, UnicodeDecodeError) as error:
            reader.wrong(file, patches.at(path), str(error), "See 'patch' in the guide to worlds.")
    return found


def _from_source(reader: Reader, one: Located, source: Tree, file: str) -> Tree:
    """The part of `source/` that a commit brings: all of it, or the files and folders it lists."""
    wanted = one.get("source")
    if not isinstance(wanted, list):
        return dict(source) if wanted else {}
    found: Tree = {}
    for name in wanted:
        part = {path: content for path, content in source.items() if path == name or path.startswith(f"{name}/")}
        if not part:
            reader.wrong(file, one.at("source"), f"There is no '{name}' in source/.", "Put it there.", "dangling")
        found.update(part)
    return found
