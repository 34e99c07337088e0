"""`run_as_examinee(cmd)`: the only way a grader runs what the examinee wrote.

The command runs in a workbench (see `workbench`): another sandbox with the examinee's files, uid, powers and limits,
without the evaluator, without the company, without network. Where none can be had, nothing is run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from dayjob.grading.workbench import Result, Workbench


def run_as_examinee(
    cmd: Sequence[str] | str,
    *,
    cwd: str | os.PathLike[str] = "/workspace",
    env: Mapping[str, str] | None = None,
    stdin: str | bytes = "",
    timeout: float = 60,
    bring: Iterable[str | os.PathLike[str]] = (),
    collect: Iterable[str | os.PathLike[str]] = (),
    installed: bool | None = None,
) -> Result:
    """Run a command (a string goes through `sh -c`) in a workbench of its own, which is gone afterwards.

    The result has `returncode`, `stdout`, `stderr`, and in `files` the bytes of what `collect` names and the command
    wrote. `bring` names files and folders of the grader's that it needs. By themselves come the temporary folder that
    `cwd` lies in, what the command line names in another, and what the grader wrote among the examinee's files below
    `cwd`. Raises `subprocess.TimeoutExpired` after `timeout` seconds, with everything it started gone.

    `installed`: the system is as the examinee left it, with what it installed and whatever else it changed there, so
    no program's word is more than the examinee's own; False: it is the image's. Absent, it is as left where the
    examinee had a way to packages (`egress`), and the image's otherwise.
    """
    with Workbench(ports=False, installed=installed) as bench:
        return bench.run(cmd, cwd=cwd, env=env, stdin=stdin, timeout=timeout, bring=bring, collect=collect)


def installed_files(*paths: str | os.PathLike[str]) -> dict[str, bytes]:
    """The files at or below these paths as the examinee left them, by path, wherever in the system they are."""
    with Workbench(ports=False, installed=True) as bench:
        return bench.files(*paths)
