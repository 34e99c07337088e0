"""`run_as_examinee(cmd)`: the only way a grader runs what the examinee wrote.

The command runs in a workbench (see `workbench`): another sandbox with the examinee's files, uid, powers and limits,
without the evaluator, without the company, without network. Where none can be had, nothing is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.grading.workbench import Result, Workbench


def run_as_examinee(cmd: Sequence[str] | str, **options: Any) -> Result:
    """Run a command as `Workbench.run` does, with its options, in a workbench of its own, which is gone afterwards."""
    with Workbench(ports=False) as bench:
        return bench.run(cmd, **options)
