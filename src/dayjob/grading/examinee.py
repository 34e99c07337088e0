"""`run_as_examinee(cmd)`: the only way a grader runs what the examinee wrote.

The command gets namespaces of its own inside the grader's room: it sees the examinee's files, no evaluator, no process
of the grader, no company and no network but an empty loopback. It has the examinee's uid, a scrubbed environment, no
capability, no inherited descriptor, and the same system calls as while it worked. Where that cannot be had, nothing is
run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from dayjob.grading import isolation
from dayjob.grading.faults import ServiceFault

_LAST_WORDS = 10  # seconds for the kernel to end what a command that ran out of time has started


class NotIsolated(ServiceFault):
    """The examinee's code was not run, because it could not be kept away from the grader: a fault, never a zero."""

    source = "sandbox"


def run_as_examinee(
    cmd: Sequence[str] | str,
    *,
    cwd: str = "/workspace",
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run a command (a string goes through `sh -c`); the result has `returncode`, `stdout` and `stderr`.

    Raises `subprocess.TimeoutExpired` after `timeout` seconds, with everything it started gone.
    """
    argv = ["/bin/sh", "-c", cmd] if isinstance(cmd, str) else list(cmd)
    with subprocess.Popen(
        isolation.command(argv, cwd=cwd, env={**isolation.ENVIRONMENT, **(env or {})}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={},
        start_new_session=True,
    ) as running:
        try:
            stdout, stderr = running.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            running.terminate()
            try:
                running.communicate(timeout=_LAST_WORDS)
            except subprocess.TimeoutExpired:
                running.kill()
            raise
    done = subprocess.CompletedProcess(argv, running.returncode, stdout, stderr)
    if done.returncode == isolation.FAILURE and done.stderr.startswith(isolation.MARK):
        raise NotIsolated(done.stderr.strip())
    return done
