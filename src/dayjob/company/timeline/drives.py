"""What stands in everybody's drive when a line of a timeline comes: the world's files, and what earlier lines made."""

from __future__ import annotations

from dayjob.company.drive.names import free_name, name_of, parent_of
from dayjob.company.timeline.model import Entry
from dayjob.company.timeline.order import Order
from dayjob.company.timeline.places import Places

ACTS = ("upload", "rename", "share", "unshare")
Tree = dict[str, bool]
"""Each path that a person sees, and whether it is a folder."""


class Drives:
    """Everybody's, just before one line. What may have happened by then has; what may be gone is still there."""

    def __init__(self, places: Places, order: Order, one: Entry) -> None:
        self.trees: dict[str, Tree] = {who: dict(tree) for who, tree in places.drives.items()}
        self.shares = dict.fromkeys(places.shares, "")
        """Who shares which path with whom, and what they may, where a line says it."""
        for other in order.earlier(one, *ACTS):
            path = other.facts["path"]
            match other.act:
                case "upload":
                    for tree in self._who_see(other.who, parent_of(path)):
                        tree.setdefault(path, False)
                case "rename":
                    for tree in self._who_see(other.who, path):
                        _move(tree, path, other.facts["to"], gone=order.surely_before(other, one))
                case "share":
                    self._share(other.who, path, other.facts["with"])
                    self.shares[other.who, path, other.facts["with"]] = other.facts.get("may", "read")
                case "unshare" if order.surely_before(other, one):
                    self.shares.pop((other.who, path, other.facts["with"]), None)

    def of(self, who: str) -> Tree:
        return self.trees.get(who, {})

    def _who_see(self, who: str, path: str) -> list[Tree]:
        """The drive of whoever acts, and those of others that have this path, which is shared then."""
        own = self.trees.setdefault(who, {})
        shared = [tree for other, tree in self.trees.items() if other != who and path != "/" and path in tree]
        return [own, *shared]

    def _share(self, owner: str, path: str, recipient: str) -> None:
        if (owner, path, recipient) in self.shares:
            return
        tree = self.trees.setdefault(recipient, {})
        name = free_name(name_of(path), {name_of(one) for one in tree if parent_of(one) == "/"})
        below = {one: folder for one, folder in self.of(owner).items() if one == path or one.startswith(f"{path}/")}
        tree |= {f"/{name}{one.removeprefix(path)}": folder for one, folder in below.items()}


def _move(tree: Tree, path: str, to: str, *, gone: bool) -> None:
    moved = {one: folder for one, folder in tree.items() if one == path or one.startswith(f"{path}/")}
    tree |= {f"{to}{one.removeprefix(path)}": folder for one, folder in moved.items()}
    if gone:
        for one in moved:
            del tree[one]
