"""A job's sources: what git is told, in the room, while the forge can still be reached from it.

Nothing that the repository holds is run by that. Its files may name filters, submodules or large files; what would
run them is configured nowhere, hooks do not travel, and git speaks HTTP and nothing else.
"""

from __future__ import annotations

import shlex

from dayjob.runner.payload import Job
from dayjob.runner.shell import GREEN, RESET

_MOST_DEPTH = 10_000

# Nobody's settings, no questions, and no other protocol than the forge's.
_GIT = (
    "git", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never", "-c", "protocol.http.allow=always",
    "-c", "protocol.https.allow=always", "-c", "advice.detachedHead=false", "-c", "gc.auto=0",
    "-c", "maintenance.auto=false", "-c", "init.defaultBranch=main", "-c", "core.fsmonitor=false",
)  # fmt: skip


def fetching(job: Job, folder: str, beside: str, strategy: str) -> list[str]:
    """The command that makes a job's folders and has its commit checked out."""
    lines = [
        "set -e",
        "umask 022",
        f"mkdir -p {shlex.quote(folder)} {shlex.quote(beside)}",
        f"cd {shlex.quote(folder)}",
    ]
    if strategy in ("none", "empty"):
        lines.append(f"echo {shlex.quote('Skipping Git repository setup')}")
        return ["/bin/sh", "-c", "\n".join(lines)]
    specs = job.refspecs or (f"+refs/heads/{job.ref}:refs/remotes/origin/{job.ref}",)
    depth = [f"--depth={min(job.depth, _MOST_DEPTH)}"] if job.depth else []
    fetch = [*_GIT, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", *depth, "--", job.repo_url, *specs]
    lines += [
        f"echo {shlex.quote(f'{GREEN}Fetching changes{_with_depth(job.depth)}...{RESET}')}",
        shlex.join([*_GIT, "init", "--quiet", "--template=", "."]),
        shlex.join([*_GIT, "remote", "add", "origin", job.clean_url]),
        f"echo {shlex.quote(f'Initialized empty Git repository in {folder}/.git/')}",
        shlex.join(fetch),
        f"echo {shlex.quote(f'{GREEN}Checking out {job.sha[:8]} as detached HEAD (ref is {job.ref})...{RESET}')}",
        shlex.join([*_GIT, "checkout", "--quiet", "--force", "--detach", job.sha]),
        f"echo {shlex.quote('Skipping Git submodules setup')}",
    ]
    return ["/bin/sh", "-c", "\n".join(lines)]


def _with_depth(depth: int) -> str:
    return f" with git depth set to {depth}" if depth else ""
