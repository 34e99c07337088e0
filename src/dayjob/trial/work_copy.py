"""The work as it is at one moment, copied so that it can be graded while the work goes on.

What is copied is what graders look at: the company's rows, files and journal, the examinee's files, and what it has
said and done. Processes do not travel, and nothing of a grading reaches the examinee's own company or sandbox.
"""

from __future__ import annotations

import asyncio
import os
import stat
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from dayjob.sandbox.sandbox import Frozen, Sandbox
from dayjob.trial.accounts import environment, renew
from dayjob.trial.colleagues import Passes
from dayjob.trial.company_process import CompanyError, Looked, TrialCompany
from dayjob.trial.evidence import Evidence
from dayjob.trial.grade import Verdict, grade
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.premises import Premises, both

_COMPANY = "company.tar"
_LARGEST = 256 * 1024 * 1024
_CHUNK = 1 << 20
WITHOUT_MODELS = {"DAYJOB_WITHOUT_MODELS": "1"}


@dataclass(frozen=True, slots=True)
class WorkCopy:
    """One copy, in a folder of its own on the host."""

    folder: Path
    frozen: Frozen
    trajectory: str
    """What evaluators are given of it."""
    looked: Looked
    files: str
    """A digest of which files there are, how large and of when."""
    size: int
    """Bytes that the copy takes on the disk."""


async def copy_work(at: Premises, folder: Path, trajectory: str) -> WorkCopy:
    """Copy the work into an empty folder. The examinee should rest meanwhile: its processes are stopped."""
    looked, frozen = await both(_copy_company(at.company, folder / _COMPANY), at.freeze(folder / "frozen"))
    files, size = await asyncio.to_thread(_told_of, frozen.folder)
    return WorkCopy(folder, frozen, trajectory, looked, files, size + (folder / _COMPANY).stat().st_size)


async def _copy_company(company: TrialCompany, place: Path) -> Looked:
    reading, writing = os.pipe()
    receiving = asyncio.ensure_future(asyncio.to_thread(_receive, reading, place))
    try:
        looked = await company.look(writing)
    finally:
        os.close(writing)
        await asyncio.wait({receiving})
    await receiving
    return looked


def _receive(source: int, place: Path) -> None:
    """Keep what arrives as it is. Whoever writes it may be the examinee's by now, and end it nowhere."""
    with open(source, "rb") as arriving, place.open("wb") as out:
        left = _LARGEST
        while part := arriving.read(min(_CHUNK, left)):
            out.write(part)
            left -= len(part)
        if not left:
            raise CompanyError(f"its copy has more than {_LARGEST} bytes")


def _told_of(folder: Path) -> tuple[str, int]:
    total, size = sha256(), 0
    for path in sorted(folder.rglob("*")):
        info = path.lstat()
        length = info.st_size if stat.S_ISREG(info.st_mode) else 0
        linked = os.readlink(path) if path.is_symlink() else ""
        changed = "" if path.is_dir() else info.st_mtime_ns
        told = f"{path.relative_to(folder)}\0{info.st_mode:o}\0{length}\0{changed}\0{linked}\0"
        total.update(told.encode("utf-8", "surrogateescape"))
        size += info.st_blocks * 512
    return total.hexdigest(), size


async def grade_copy(at: Premises, copy: WorkCopy, judge: Passes | None) -> Verdict:
    """Grade it, beside the work. Without `judge`, checks that ask a model are left out."""
    async with AsyncExitStack() as stack:
        evidence = Evidence(copy.folder / "evidence")
        apart = Premises(at.workshop, at.spec, evidence, Outcome.of(at.spec, Label.INFRA_ERROR))
        apart.passes = judge or at.passes
        with (copy.folder / _COMPANY).open("rb") as company:
            await apart.open_looked(stack, at, company.fileno())
        if unseen := (await apart.company.trouble()).unseen:
            raise CompanyError(f"{unseen} changes did not fit into its journal")
        models = judge.environment("judge") if judge is not None else WITHOUT_MODELS
        return await grade_apart(apart, at, copy.frozen, copy.trajectory, models)


async def grade_apart(
    apart: Premises,
    at: Premises,
    frozen: Frozen,
    trajectory: str,
    models: dict[str, str],
    examinee: Sandbox | None = None,
) -> Verdict:
    """Grade a company that was copied (`apart`) with files of the work that goes on (`at`).

    With `examinee`, what is left running there is reached, and hears of it.
    """
    await apart.company.enter("grade")
    accounts = await renew(apart.company, at.task.services)
    inputs = at.grading(apart.company, frozen, trajectory)
    judges = apart.passes.gateway.app(apart.passes.trial, ["judge"])
    inputs = replace(inputs, examinee=examinee, models=judges)
    return await grade(inputs, environment(apart.company, accounts) | models, within=at.task.settings.timeouts.grade)
