"""Which symbolic links of an examinee a grader may follow: those that stay among its own files or lead to the system.

The grader's own secrets live in folders that the examinee's root also has (`/utils`, `/proc`), so a link left behind
could make a grader read its own answers as the examinee's work.
"""

from __future__ import annotations

from collections.abc import Sequence

from dayjob.sandbox.tree import MOST_NAMES

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt")
REPLACEMENT = "/link-withheld-from-the-grader"


class LinkWatch:
    """Give it to `receiving.receive`; afterwards `replaced` lists the links that led elsewhere."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.allowed = (*paths, *SYSTEM)
        self.replaced: list[str] = []
        """The first of them; an examinee can leave as many as it has files."""

    def __call__(self, name: str, target: str) -> str:
        if self.is_safe(name, target):
            return target
        if len(self.replaced) < MOST_NAMES:
            self.replaced.append(f"/{name[:200]} -> {target[:200]}")
        return REPLACEMENT

    def is_safe(self, name: str, target: str) -> bool:
        """`name` is the link's own path, reached through folders only, so leading `..` mean what they say.

        A `..` further on may come after another link and mean anything: such a target is not trusted.
        """
        here = [] if target.startswith("/") else name.split("/")[:-1]
        parts = [part for part in target.split("/") if part not in ("", ".")]
        while parts and parts[0] == "..":
            parts.pop(0)
            here = here[:-1]
        if ".." in parts:
            return False
        found = "/" + "/".join((*here, *parts))
        return found == "/dev/null" or any(found == path or found.startswith(f"{path}/") for path in self.allowed)
