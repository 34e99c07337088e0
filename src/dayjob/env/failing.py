"""What fails below an environment, as `EnvError`: whatever it was, and no marks where it was nobody's doing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dayjob.env.values import Checkpoint, EnvError, Marks
from dayjob.sandbox.sandbox import SandboxError
from dayjob.trial.company_process import CompanyError, CompanyLost
from dayjob.trial.evidence import sentence_about
from dayjob.trial.failed_step import StepFailed
from dayjob.trial.grade import GraderError, Verdict
from dayjob.trial.premises import Premises


@asynccontextmanager
async def as_env_errors() -> AsyncIterator[None]:
    """One kind of error, whatever it was that failed."""
    try:
        yield
    except CompanyLost as loss:
        raise EnvError(f"The company was lost: {loss}; reset the environment.") from loss
    except GraderError as error:
        raise EnvError(f"It could not be graded: {error}.") from error
    except (StepFailed, SandboxError, CompanyError) as error:
        raise EnvError(str(error)) from error
    except OSError as error:
        raise EnvError(sentence_about(error)) from error


async def check_faults(at: Premises) -> None:
    """What went wrong without being the examinee's doing leaves no marks, as in a trial; neither does a journal with
    gaps, from which nobody can say what was done."""
    found = await at.company.trouble()
    spoilt = [fault.sentence for fault in at.passes.spoilt("examinee")]
    said = [sentence for _, sentence in found.faults] + spoilt + [one for one in (found.trouble,) if one]
    if found.unseen:
        said.append(f"{found.unseen} changes did not fit into its journal")
    if said:
        raise EnvError(f"It could not be graded: {'; '.join(dict.fromkeys(said))}")


def marks_of(verdict: Verdict) -> Marks:
    if verdict.faults or verdict.result is None:
        said = "; ".join(dict.fromkeys(str(fault.get("sentence")) for fault in verdict.faults))
        raise EnvError(f"It could not be graded: {said}")
    score = verdict.result["final_score"]
    rows = tuple(
        Checkpoint(row["result"], row["total"], row.get("reason") or "") for row in verdict.result["checkpoints"]
    )
    return Marks(score["result"], score["total"], rows, (*verdict.notes, *verdict.raised), verdict.log)
