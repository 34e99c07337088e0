"""What a colleague looks up for somebody: what both can see, as it is now, and without a trace."""

from __future__ import annotations

import pytest

from dayjob.company.acting import Doer
from dayjob.company.company import Company
from dayjob.company.world import Snapshot
from dayjob.npc.looking import Looking
from tests.npc.casting import run

JONAS, SAM, CHIDI = "jonas.weber", "sam.reed", "chidi.eze"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "Is !12 of larkspur/trellis merged already?",
            "!12 (Keep jobs of the same due hour in the order they came) is open",
        ),
        ("What about merge request 12 in larkspur/trellis?", "!12 "),
        ("In which state is TREL-15?", "On the board TREL-15 ("),
        ("Is /Company/onboarding.md there?", "/Company/onboarding.md is there on the drive."),
        ("Is /Company/nothing-here.md there?", ""),
        ("Is !999 of larkspur/trellis merged?", ""),
        ("In which state is TREL-9999?", ""),
        ("How is the weather?", ""),
        (f"Is !{'1' * 4500} of larkspur/trellis merged?", ""),
        (f"What about merge request {'1' * 4500}?", ""),
        (f"What is issue {'1' * 4500}?", ""),
        (f"Is TREL-{'1' * 4500} done?", ""),
    ],
)
def test_what_is_asked_about_is_looked_up(larkspur: Snapshot, question: str, told: str) -> None:
    async def main() -> None:
        company = Company(larkspur, phase="work")
        before = len(list(company.journal.requests()))
        seen = await Looking(company, JONAS).at(question, SAM)
        assert seen.startswith(told) if told else seen == ""
        assert len(list(company.journal.requests())) == before
        company.close()

    run(main())


def test_nobody_learns_through_a_colleague_of_what_they_may_not_see(larkspur: Snapshot) -> None:
    async def main() -> None:
        company = Company(larkspur, phase="work")
        project = "/api/v4/projects/larkspur%2Ftrellis/issues"
        made = await Doer(company, JONAS, "init").do(
            "forge", "POST", project, {"title": "A hole in the sign-in", "confidential": True}
        )
        number = made.json()["iid"]
        question = f"What is issue {number} of larkspur/trellis?"
        assert "A hole" in await Looking(company, JONAS).at(question, JONAS)
        assert await Looking(company, JONAS).at(question, "noor.haddad") == ""
        closed = "Is !1 of larkspur/platform/infra merged?"
        assert await Looking(company, CHIDI).at(closed, SAM) == ""
        company.close()

    run(main())
