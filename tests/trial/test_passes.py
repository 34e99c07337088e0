"""The models and colleagues of one trial: which role holds a pass, what is told of its calls, and who comes to chat."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.llm.gateway import Gateway
from dayjob.llm.judge_verdict import Quote, Verdict, Vote
from dayjob.task import Task
from dayjob.trial.colleagues import Colleagues, NoColleagues, Passes
from dayjob.trial.company_process import CompanyError, TrialCompany


class Admitted:
    """A pass that notes its end."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.model: Any = SimpleNamespace(shown=f"model of the {role}")
        self.usage = SimpleNamespace(as_dict=lambda: {"calls": 3})
        self.waits = f"waits of the {role}"
        self.answered = 2
        self.strange: Counter[str] = Counter()
        self.notes: list[str] = []
        self.served = {"": None, f"{role}-2026 fp": None}
        self.verdicts: dict[str, Verdict] = {}
        self.faults: list[Any] = []
        self.closed = 0
        self.complete = f"complete for the {role}"

    def environment(self, address: str) -> dict[str, str]:
        return {"LITELLM_BASE_URL": address, "ROLE": self.role}

    def close(self) -> None:
        self.closed += 1


class Door:
    """A gateway with models for these roles."""

    def __init__(self, *roles: str) -> None:
        self.roles = roles
        self.admitted: list[tuple[str, str]] = []
        self.settings = SimpleNamespace(patience=77.0)

    def model(self, role: str) -> Any:
        return "a model" if role in self.roles else None

    def admit(self, trial: str, role: str, *, log: Any) -> Admitted:
        self.admitted.append((trial, role))
        return Admitted(role)


def passes(folder: Path, *roles: str) -> tuple[Passes, Door]:
    door = Door(*roles)
    return Passes(cast(Gateway, door), "the trial", folder / "models.jsonl"), door


def admitted(found: Passes, role: Any) -> Any:
    return found.of(role)


def test_a_role_with_a_model_has_one_pass_and_one_without_has_nothing(tmp_path: Path) -> None:
    found, door = passes(tmp_path, "examinee", "judge")
    assert found.of("npc") is None
    assert found.of("examinee") is found.of("examinee")
    assert found.of("examinee") is not found.of("judge")
    assert door.admitted == [("the trial", "examinee"), ("the trial", "judge")]
    assert found.environment("npc") == {}
    assert found.environment("examinee") == {"LITELLM_BASE_URL": "http://llm.test:4000", "ROLE": "examinee"}
    assert found.waits("npc") is None
    assert str(found.waits("examinee")) == "waits of the examinee"
    assert found.patience == 77.0
    assert (found.answered("npc"), found.answered("examinee")) == (0, 2)
    assert found.usage() == {"examinee": {"calls": 3}, "judge": {"calls": 3}}
    admitted(found, "judge").model = None
    assert found.models() == {"examinee": "model of the examinee"}
    assert found.trouble == ""


def test_asking_how_much_was_answered_admits_nobody(tmp_path: Path) -> None:
    found, door = passes(tmp_path, "examinee")
    assert (found.answered("examinee"), found.spoilt("examinee")) == (0, [])
    assert door.admitted == []


def test_a_pass_is_closed_by_its_role_or_with_all_others(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "examinee", "judge")
    one, other = admitted(found, "examinee"), admitted(found, "judge")
    found.close("examinee", "npc")
    assert (one.closed, other.closed) == (1, 0)
    found.close()
    assert (one.closed, other.closed) == (2, 1)


def fault(sentence: str, spoils: bool) -> Any:
    return SimpleNamespace(sentence=sentence, spoils=spoils)


def test_what_spoils_a_trial_is_told_from_what_is_only_noted(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "examinee")
    one = admitted(found, "examinee")
    one.faults = [fault("down", True), *(fault(f"bad {n}", False) for n in (0, 0, 1, 2, 3, 4, 5))]
    one.notes = ["a", "a", "b", "c", "d", "e"]
    one.strange = Counter({"/f": 1, "/a": 9, "/b": 8, "/c": 7, "/d": 6, "/e": 5})
    assert [each.sentence for each in found.spoilt("examinee")] == ["down"]
    assert found.notes == [
        "the examinee asked the gateway for addresses it does not have: /a (9×), /b (8×), /c (7×), /d (6×), /e (5×)",
        *("a", "b", "c", "d"),
        *(f"the examinee's model: bad {n}" for n in range(5)),
    ]


AYE = Vote(True, "Sam\x1b[31m says so.", (Quote(1, "sam.reed", "it is\nFriday"),))
DECIDED = Verdict("The variant's word is harbour.", (AYE, Vote(False, "A claim."), AYE), "m")


def test_what_the_judge_decided_is_told_vote_by_vote(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "examinee", "judge")
    assert found.judged(withheld=False) == []
    admitted(found, "judge").verdicts = {"case": DECIDED}
    yes = {"verdict": "yes", "reason": "Sam [31m says so.", "quotes": [{"speaker": "sam.reed", "text": "it is Friday"}]}
    no = {"verdict": "no", "reason": "A claim.", "quotes": []}
    assert found.judged(withheld=False) == [
        {"question": DECIDED.question, "verdict": "yes", "agreement": "2 of 3", "votes": [yes, no, yes]}
    ]


def test_of_a_private_variant_no_word_of_the_judge_is_told(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "judge")
    admitted(found, "judge").verdicts = {"case": DECIDED}
    assert found.judged(withheld=True) == [{"question": "", "verdict": "yes", "agreement": "2 of 3", "votes": []}]


def test_what_answered_is_told_by_role(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "npc", "judge")
    assert found.served() == {}
    found.of("npc")
    assert found.served() == {"npc": ["npc-2026 fp"]}, "and nothing of an answer that does not say"


def test_a_quiet_pass_has_no_notes(tmp_path: Path) -> None:
    found, _ = passes(tmp_path, "examinee")
    found.of("examinee")
    assert found.notes == []


# -- colleagues -------------------------------------------------------------------------------------------------------


class Office:
    """A company that notes who is brought."""

    def __init__(self, refuses: bool = False) -> None:
        self.everybody = False
        self.brought: list[tuple[Any, Any]] = []
        self.refuses = refuses

    async def bring_colleagues(self, scenarios: Any, complete: Any) -> dict[str, Any]:
        if self.refuses:
            raise CompanyError("nobody is called so")
        self.brought.append((scenarios, complete))
        return {"usernames": ["mara"], "minds": {"mara": "llm"}, "prompts": {"mara": "a1"}}


def colleagues(office: Office, folder: Path, *, scenarios: Any = None, services: Any = ("chat",)) -> Colleagues:
    task: Any = SimpleNamespace(scenarios={"mara": {}} if scenarios is None else scenarios, services=services)
    return Colleagues(cast(TrialCompany, office), cast(Task, task), passes(folder, "npc")[0])


def test_colleagues_come_once_with_their_model(tmp_path: Path) -> None:
    office = Office()
    found = colleagues(office, tmp_path)
    assert (found.usernames, found.minds) == ([], {})
    asyncio.run(found.arrive())
    asyncio.run(found.arrive())
    assert office.brought == [({"mara": {}}, "complete for the npc")]
    assert (found.usernames, found.minds, found.prompts) == (["mara"], {"mara": "llm"}, {"mara": "a1"})


def test_without_scenarios_nobody_comes_and_without_a_model_they_come_all_the_same(tmp_path: Path) -> None:
    office = Office()
    asyncio.run(colleagues(office, tmp_path, scenarios={}, services=()).arrive())
    assert office.brought == []
    task: Any = SimpleNamespace(scenarios={"mara": {}}, services=("chat",))
    asyncio.run(Colleagues(cast(TrialCompany, office), task, passes(tmp_path)[0]).arrive())
    assert office.brought == [({"mara": {}}, None)]


def test_colleagues_who_cannot_come_say_why(tmp_path: Path) -> None:
    with pytest.raises(NoColleagues, match="needs chat; add rocketchat"):
        asyncio.run(colleagues(Office(), tmp_path, services=("drive",)).arrive())
    found = colleagues(Office(refuses=True), tmp_path)
    with pytest.raises(NoColleagues, match="nobody is called so"):
        asyncio.run(found.arrive())
