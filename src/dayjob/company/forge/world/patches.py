"""Small edits in a scripted history: what each branch's files are at a point of it, and a short patch applied to one.

A patch is hunks that begin with `@@`; the lines marked ' ' and '-' must stand in the file exactly once, together. A
hunk of '+' lines alone is appended.
"""

from __future__ import annotations

Tree = dict[str, tuple[bytes, bool] | None]


class BadPatch(Exception):
    """Why a patch does not fit, in a sentence."""


class Trees:
    """The files of each branch. None stands for a file both sides of a merge changed: git knows its text, not we."""

    def __init__(self) -> None:
        self.at: dict[str, Tree] = {}
        self._since: dict[tuple[str, str], Tree] = {}

    def start(self, branch: str, origin: str | None) -> None:
        """A branch begins where another one is."""
        self.at[branch] = dict(self.at.get(origin or "", {}))
        for (one, other), tree in list(self._since.items()):
            if origin in (one, other):
                self._since[(branch, other if origin == one else one)] = tree
        if origin:
            self._since[(branch, origin)] = dict(self.at[branch])

    def merge(self, target: str, source: str) -> None:
        ours, theirs = self.at[target], self.at[source]
        pair = (source, target) if (source, target) in self._since else (target, source)
        base = self._since.get(pair, {})
        for path in {*theirs, *base}:
            before, after = base.get(path), theirs.get(path)
            if before == after and path in base:
                continue
            if ours.get(path) == before and (path in ours) == (path in base):
                self._put(ours, path, after, path in theirs)
            elif ours.get(path) != after:
                ours[path] = None
        self._since[pair] = dict(theirs)

    def commit(self, branch: str, files: Tree) -> None:
        """What one commit writes; here None means that a file goes."""
        for path, content in files.items():
            self._put(self.at[branch], path, content, content is not None)

    @staticmethod
    def _put(tree: Tree, path: str, content: tuple[bytes, bool] | None, there: bool) -> None:
        if there:
            tree[path] = content
        else:
            tree.pop(path, None)

    def patched(self, branch: str, path: str, patch: str) -> tuple[bytes, bool]:
        tree = self.at[branch]
        if path not in tree:
            raise BadPatch(f"There is no file '{path}' on '{branch}' at this point of the history.")
        content = tree[path]
        if content is None:
            raise BadPatch(f"Both sides of a merge changed '{path}', so its text is not known here.")
        return apply(content[0].decode(), patch, path).encode(), content[1]


def apply(text: str, patch: str, path: str) -> str:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    for old, new in _hunks(patch):
        if not old:
            lines += new
            continue
        size = len(old)
        places = [at for at in range(len(lines) - size + 1) if lines[at : at + size] == old]
        if len(places) != 1:
            found = "nowhere" if not places else f"{len(places)} times"
            raise BadPatch(f"The hunk that begins with '{old[0]}' stands {found} in '{path}'.")
        lines[places[0] : places[0] + size] = new
    return "\n".join(lines) + "\n" if lines else ""


def _hunks(patch: str) -> list[tuple[list[str], list[str]]]:
    hunks: list[tuple[list[str], list[str]]] = []
    for line in patch.rstrip("\n").split("\n"):
        if line.startswith("@@"):
            hunks.append(([], []))
            continue
        if not hunks or line[:1] not in ("", " ", "-", "+"):
            raise BadPatch(f"'{line}' is not a line of a patch.")
        old, new = hunks[-1]
        if line[:1] != "+":
            old.append(line[1:])
        if line[:1] != "-":
            new.append(line[1:])
    return hunks
