"""The audit in a whole trial: faults of colleagues are told, and change nothing that anybody is measured by."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dayjob.company.world import Snapshot, build_snapshot
from dayjob.task import Task
from dayjob.trial import colleague_audit
from dayjob.trial.colleague_audit import audit_trial
from dayjob.trial.evidence import Evidence
from dayjob.trial.outcome import MEANINGS, Label, Outcome
from tests.trial.offices import office, task
from tests.trial.test_colleagues import Place

CLIENT = """
    import time, requests
    api = "http://office.test:3000/api/v1"
    data = requests.post(api + "/login", json={"user": "sam.reed", "password": "sam-first-day"}).json()["data"]
    headers = {"X-Auth-Token": data["authToken"], "X-User-Id": data["userId"]}

    def post(name, **body):
        return requests.post(f"{api}/{name}", json=body, headers=headers).json()

    def ask(text, to="@mara.lind"):
        return post("chat.postMessage", channel=to, text=text)["message"]

    def answers(room, count):
        for _ in range(200):
            found = requests.get(api + "/im.history", params={"roomId": room}, headers=headers).json()["messages"]
            said = [one for one in found if one["u"]["username"] == "mara.lind"]
            if len(said) >= count:
                return said
            time.sleep(0.05)

    open("/workspace/answer.txt", "w").write("shipshape\\n")
    """
SHEET = """
    Mara Lind:
      matter: [budget, launch]
      facts:
        budget:
          says: The budget for the launch is 12,400 euros.
          again: {again}
          asked: [budget]
    """
FAST = 'format = 1\n[time]\nanswers = "at once"\n'


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Place:
    return Place(tmp_path, cache)


def tried(place: Place, doing: str, again: str = "It is still 12,400 euros.", **more: Any) -> tuple[Outcome, Path]:
    solution = dedent(CLIENT) + dedent(doing)
    sheet = SHEET.format(again=again)
    return place.run(solution__py=solution, colleagues__yml=sheet, task__toml=FAST, **more)


def test_an_honest_colleague_is_counted_and_has_no_fault(place: Place) -> None:
    outcome, out = tried(place, 'answers(ask("Hi Mara, what is the budget for the launch?")["rid"], 1)')
    assert outcome.label is Label.RESOLVED, outcome.reason
    assert outcome.colleague_fault == []
    counts = outcome.colleagues["Mara Lind"]
    assert (counts["mind"], counts["sheet"], counts["asked"], counts["answered"]) == ("script", True, 1, 1)
    [mara] = json.loads((out / "audit.json").read_text())["colleagues"]
    assert mara["asked_for"] == {"budget": 1}
    assert Outcome.from_json((out / "outcome.json").read_text()).colleagues == outcome.colleagues


def test_a_sheet_that_disagrees_with_itself_is_a_fault_and_the_score_stands(place: Place) -> None:
    asking = """
        room = ask("What is the budget for the launch?")["rid"]
        answers(room, 1)
        ask("And what was the budget again?")
        answers(room, 2)
        """
    outcome, _ = tried(place, asking, again="12,600 euros it is.")
    assert (outcome.label, outcome.score) == (Label.RESOLVED, 1.0), outcome.reason
    assert not MEANINGS[outcome.label].retry
    [fault] = outcome.colleague_fault
    assert (fault["colleague"], fault["kind"], fault["fact"]) == ("Mara Lind", "contradicted", "budget")
    assert fault["quote"] == "The budget for the launch is 12,400 euros."
    assert "12,600" in fault["said"]


WRONG = "format: 1\nrules:\n- json: {action: speak, message: 'It is 12,600 euros.', facts: [], promises: [], do: []}\n"
NO_IDEA = "format: 1\nrules:\n- json: {action: speak, message: 'No idea.', facts: [], promises: [], do: []}\n"
ASKING = 'answers(ask("What is the budget for the launch?")["rid"], 1)'


def model_of(text: str) -> str:
    """As the model's mind takes its replies, whichever keys it has."""
    from dayjob.npc import llm_turn

    keys = llm_turn.SCHEMA["required"]
    return text if len(keys) > 2 else text.replace(", facts: [], promises: [], do: []", "")


@pytest.mark.parametrize(("rules", "kind"), [(WRONG, "contradicted"), (NO_IDEA, "withheld")])
def test_a_models_fault_is_told_and_the_trial_is_neither_void_nor_tried_again(
    place: Place, rules: str, kind: str
) -> None:
    outcome, out = tried(place, ASKING, npc_model=place.model(model_of(rules)))
    assert (outcome.label, outcome.score) == (Label.RESOLVED, 1.0), outcome.reason
    assert [one["kind"] for one in outcome.colleague_fault] == [kind]
    journal = (out / "journal.jsonl").read_text()
    assert outcome.colleague_fault[0]["message"] in journal


@pytest.mark.parametrize(("verdict", "faults"), [("yes", 1), ("no", 0)])
def test_a_judge_that_looks_again_can_withdraw_a_models_fault(place: Place, verdict: str, faults: int) -> None:
    judge = place.model(
        "format: 1\nrules:\n- when: {anywhere: 'Case number: (?P<case>\\w+)'}\n"
        f'  json: {{case: "${{case}}", verdict: "{verdict}", reason: because, '
        "quotes: [{number: 2, speaker: mara.lind, text: 12600}]}\n".replace("12600", '"12,600 euros"')
    )
    outcome, out = tried(place, ASKING, npc_model=place.model(model_of(WRONG)), judge_model=judge)
    assert (outcome.label, outcome.judged) == (Label.RESOLVED, []), "grading has its own judge"
    assert len(outcome.colleague_fault) == faults
    told = json.loads((out / "audit.json").read_text())
    assert told["looked_again"] >= 1
    looked = [one["second_look"]["verdict"] for one in told["colleagues"][0]["findings"] if one["second_look"]]
    assert set(looked) == {verdict}


def test_a_judge_that_is_down_leaves_the_fault_and_the_score(place: Place) -> None:
    judge = place.model("format: 1\nrules:\n- fault: {status: 400}\n")
    outcome, _ = tried(place, ASKING, npc_model=place.model(model_of(WRONG)), judge_model=judge)
    assert (outcome.label, len(outcome.colleague_fault)) == (Label.RESOLVED, 1)


TRICKS = {
    "flooding": """
        for number in range(40):
            ask(f"What is the budget for the launch, for item {number}? And how was the budget made? Which budget?")
        answers(ask("Thanks")["rid"], 3)
        """,
    "deleting the question": """
        said = ask("What is the budget for the launch?")
        post("chat.delete", roomId=said["rid"], msgId=said["_id"])
        answers(said["rid"], 1)
        """,
    "removing the colleague": """
        room = post("channels.create", name="corner", members=["mara.lind"])["channel"]["_id"]
        found = requests.get(api + "/users.info", params={"username": "mara.lind"}, headers=headers).json()
        mara = found["user"]["_id"]
        post("channels.kick", roomId=room, userId=mara)
        ask("@mara.lind what is the budget for the launch?", "#corner")
        post("channels.invite", roomId=room, userId=mara)
        time.sleep(0.5)
        """,
    "leaving at once": 'ask("What is the budget for the launch?")',
    "editing the question": """
        said = ask("Good morning!")
        answers(said["rid"], 1)
        post("chat.update", roomId=said["rid"], msgId=said["_id"], text="What is the budget for the launch?")
        """,
}


@pytest.mark.parametrize("trick", TRICKS)
def test_an_examinees_tricks_make_no_fault_of_a_colleague_and_change_no_score(place: Place, trick: str) -> None:
    outcome, _ = tried(place, TRICKS[trick])
    assert (outcome.label, outcome.score) == (Label.RESOLVED, 1.0), outcome.reason
    assert outcome.colleague_fault == []


def test_a_colleague_whom_nobody_asked_is_counted_with_nothing(place: Place) -> None:
    outcome, _ = tried(place, "")
    assert (outcome.label, outcome.colleagues["Mara Lind"]["asked"]) == (Label.RESOLVED, 0)


def folder_of(tmp_path: Path, *turns: str) -> tuple[Evidence, Task, Snapshot]:
    """A trial's evidence, and what it was made of."""
    files: dict[str, str | None] = {
        "colleagues__yml": SHEET.format(again="That much."),
        "dependencies__yml": "- rocketchat\n",
    }
    evidence = Evidence(tmp_path / "out")
    evidence.text("colleagues.jsonl", "".join(f"{one}\n" for one in turns))
    return evidence, Task.load(task(tmp_path, **files)), build_snapshot(office(tmp_path), cache=tmp_path / "cache")


BAD_TURN = {
    "kind": "turn", "colleague": "Mara Lind", "mind": "script", "place": "direct messages", "thread": "",
    "heard": [{"id": "q1", "room": "r1", "sender": "sam.reed", "name": "Sam", "text": "What is the budget?", "at": 1}],
    "said": ["The budget is 12,600 euros."], "how": {"facts": ["budget"]},
}  # fmt: skip


@pytest.mark.parametrize("private", [False, True])
def test_of_a_private_variant_the_audit_tells_no_words(tmp_path: Path, private: bool) -> None:
    evidence, made, snapshot = folder_of(tmp_path, json.dumps(BAD_TURN))
    outcome = Outcome("small-task", "oracle", 1, Label.FAILED)
    asyncio.run(audit_trial(evidence, outcome, made, snapshot, None, private=private))
    [fault] = outcome.colleague_fault
    assert (fault["fact"], fault["message"]) == ("budget", "q1")
    told = json.dumps([outcome.colleague_fault, json.loads((evidence.folder / "audit.json").read_text())])
    assert ("12,4" in told or "12,6" in told or "What is" in told) is not private


def test_evidence_that_cannot_be_read_says_nothing_of_anybody(tmp_path: Path) -> None:
    evidence, made, snapshot = folder_of(tmp_path, "{", "[]", "null", '{"kind": "turn", "colleague": 1}')
    outcome = Outcome("small-task", "oracle", 1, Label.FAILED)
    asyncio.run(audit_trial(evidence, outcome, made, snapshot, None, private=False))
    assert (outcome.colleagues["Mara Lind"]["asked"], outcome.colleague_fault) == (0, [])


def test_more_talk_than_can_be_read_in_time_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(colleague_audit, "_READING_SECONDS", 0.0)
    evidence, made, snapshot = folder_of(tmp_path, json.dumps(BAD_TURN))
    outcome = Outcome("small-task", "oracle", 1, Label.FAILED)
    asyncio.run(audit_trial(evidence, outcome, made, snapshot, None, private=False))
    assert outcome.notes == ["colleagues could not be audited: what was said takes longer than 0 s to read"]
    assert (outcome.label, outcome.colleagues, outcome.colleague_fault) == (Label.FAILED, {}, [])


def test_who_has_no_part_in_the_task_is_counted_when_asked(tmp_path: Path) -> None:
    turn = {**BAD_TURN, "colleague": "Sam Reed", "said": ["No idea."]}
    evidence, made, snapshot = folder_of(tmp_path, json.dumps(turn))
    outcome = Outcome("small-task", "oracle", 1, Label.FAILED)
    asyncio.run(audit_trial(evidence, outcome, made, snapshot, None, private=False))
    assert list(outcome.colleagues) == ["Mara Lind", "Sam Reed"]


def test_a_published_tasks_colleague_is_counted_too(place: Place) -> None:
    scenarios = json.dumps({"Mara Lind": {"script": [{"on": {"topic": "word"}, "reply": "shipshape"}]}})
    outcome, _ = place.run(scenarios__json=scenarios)
    assert outcome.label is Label.RESOLVED, outcome.reason
    counts = {"mind": "script", "sheet": False, "asked": 1, "answered": 1, "ignored": 0, "repeated": 0}
    assert outcome.colleagues == {"Mara Lind": counts}
