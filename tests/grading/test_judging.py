"""Asking a judge: what is sent, what counts as a verdict, and that everything else is a fault and never a yes."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dayjob.grading import llm, workspace
from dayjob.grading.faults import JudgeFault, faults
from dayjob.grading.grader import grader
from dayjob.grading.said import Message
from dayjob.llm.wire import BODY_LIMIT
from dayjob.scoring import Points
from tests.grading.sandbox import Answer, Here, SmallCompany

PNG, JPEG = b"\x89PNG\r\n", b"\xff\xd8\xff"


@pytest.fixture
def gateway(here: Here, office: SmallCompany) -> SmallCompany:
    here.set(LITELLM_BASE_URL=f"{office.url}/v1/", LITELLM_MODEL="judge", LITELLM_API_KEY="key")
    return office


def verdict(word: str = "yes", *quotes: dict[str, Any], reason: str = "r") -> dict[str, Any]:
    vote = {"verdict": word, "reason": reason, "quotes": [*quotes]}
    return {**vote, "agreement": "1 of 1", "votes": [vote], "model": "m", "cached": False}


def completion(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}}]}


@pytest.mark.parametrize(("word", "expected"), [("yes", True), ("no", False)])
def test_the_gateways_verdict_comes_with_its_reason_and_its_quotes(
    gateway: SmallCompany, word: str, expected: bool
) -> None:
    rows = [{"number": 1, "speaker": "", "text": "a"}, {"number": 2, "speaker": "sam", "text": "b"}]
    gateway.on("POST", "/v1/judge", verdict(word, *rows))
    found = llm.judge("It rained", "wet", [("image/png", PNG)], "be strict")
    vote = llm.Judgement(expected, "r", (llm.Quote("", "a"), llm.Quote("sam", "b")))
    assert found == llm.Judgement(expected, "r", (llm.Quote("", "a"), llm.Quote("sam", "b")), (vote,))
    assert bool(found) is expected
    assert str(found) == "r"
    asked = gateway.asked[-1]
    assert asked.headers["Authorization"] == "Bearer key"
    assert json.loads(asked.body) == {
        "question": "It rained",
        "evidence": "wet",
        "images": [{"type": "image/png", "data": base64.b64encode(PNG).decode()}],
        "guidance": "be strict",
    }


def sent(gateway: SmallCompany) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(gateway.asked[-1].body)
    return found


def test_what_people_said_goes_with_who_said_it_and_whose_words_count(gateway: SmallCompany) -> None:
    gateway.on("POST", "/v1/judge", verdict("no"))
    message = Message("sam.reed", "It rains.", "2", "launch", frozenset(), None, False)
    llm.judge("It rained", (message,), of="sam.reed")
    rows = [{"speaker": "sam.reed", "text": "It rains."}]
    assert (sent(gateway)["evidence"], sent(gateway)["of"]) == (rows, "sam.reed")
    llm.judge("It rained", [("tomas.okafor", "Does it?"), message])
    assert sent(gateway)["evidence"] == [{"speaker": "tomas.okafor", "text": "Does it?"}, *rows]
    assert "of" not in sent(gateway)
    llm.judge("It rained", [])
    assert sent(gateway)["evidence"] == []


def test_whose_words_count_cannot_be_said_of_a_plain_text(gateway: SmallCompany) -> None:
    with pytest.raises(ValueError, match="evidence with speakers"):
        llm.judge("It rained", "sam.reed: It rains.", of="sam.reed")
    assert gateway.asked == []


def test_more_evidence_than_anybody_can_be_shown_is_a_no_and_no_fault(gateway: SmallCompany) -> None:
    found = llm.judge("It rained", "wet " * (BODY_LIMIT // 4))
    assert (found.verdict, found.reason) == (False, "There is more evidence than a judge can be shown.")
    assert not llm.judge("It rained", images=[("image/png", bytes(BODY_LIMIT // 4 * 3))])
    assert gateway.asked == []


def test_a_judgement_in_words_is_what_each_vote_said(gateway: SmallCompany) -> None:
    votes = [verdict("yes", reason="So it says."), verdict("no", reason="A claim."), verdict("yes", reason="Plain.")]
    gateway.on("POST", "/v1/judge", {**votes[0], "votes": [one["votes"][0] for one in votes]})
    found = llm.judge("It rained", "wet")
    assert [one.verdict for one in found.votes] == [True, False, True]
    assert str(found) == "Yes by 2 of 3 votes. Yes: So it says. No: A claim. Yes: Plain."
    returned = grader(lambda: found)()
    assert isinstance(returned, Points)
    assert (returned, returned.reason) == (1, str(found))
    assert grader(lambda: llm.Judgement(False, "A claim."))().reason == "A claim."


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer({"verdict": "yes", "reason": "", "quotes": []}), "the judge gave no verdict"),
        (Answer({**verdict(), "quotes": ["words"]}), "the judge gave no verdict"),
        (Answer({"verdict": "maybe", "reason": "", "quotes": []}), "the judge gave no verdict"),
        (Answer({"reason": "", "quotes": []}), "the judge gave no verdict"),
        (Answer({"verdict": "yes", "reason": "", "quotes": None}), "the judge gave no verdict"),
        (Answer([]), "the judge gave no verdict"),
        (Answer(b"<html>"), "the judge gave no verdict"),
        (Answer({"error": {"message": "the budget is spent"}}, 402), "^the budget is spent$"),
        (Answer({}, 500), "the judge gave no verdict"),
        (Answer(verdict(), 503), "the judge gave no verdict"),
    ],
)
def test_anything_but_a_verdict_is_a_fault_of_the_judge(gateway: SmallCompany, answer: Answer, sentence: str) -> None:
    gateway.on("POST", "/v1/judge", answer)
    with pytest.raises(JudgeFault, match=sentence):
        llm.judge("It rained")


@pytest.mark.parametrize("status", [404, 405])
def test_a_model_that_has_no_judge_is_asked_itself(gateway: SmallCompany, status: int) -> None:
    gateway.on("POST", "/v1/judge", Answer({}, status))
    gateway.on("POST", "/v1/chat/completions", {"choices": [{"message": {"content": "Yes."}}, {"message": {}}]})
    assert llm.judge("It rained", "wet", [("image/png", PNG)], "be strict") == llm.Judgement(True, "Yes.")
    assert sent(gateway)["model"] == "judge"
    (message,) = sent(gateway)["messages"]
    text, picture = message["content"]
    assert (message["role"], text["type"], picture["type"]) == ("user", "text", "image_url")
    assert all(part in text["text"] for part in ("It rained\nbe strict\n", "<<<evidence\nwet\nevidence>>>"))
    assert picture["image_url"] == {"url": f"data:image/png;base64,{base64.b64encode(PNG).decode()}"}
    llm.judge("It rained", [("sam.reed", "It\ntomas: rains.")], of="sam.reed")
    (message,) = sent(gateway)["messages"]
    assert '\n{"speaker": "sam.reed", "text": "It\\ntomas: rains."}\n' in message["content"][0]["text"]
    assert "Only words of the speaker sam.reed count." in message["content"][0]["text"]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (Answer({"error": {"message": "no key"}}, 401), "^no key$"),
        (Answer(completion("yes"), 500), "the model did not answer"),
        (Answer({"choices": []}), "the model did not answer"),
        (Answer({"choices": [{"message": None}]}), "the model did not answer"),
        (Answer(b"x"), "the model did not answer"),
    ],
)
def test_a_model_that_does_not_answer_is_a_fault(gateway: SmallCompany, answer: Answer, sentence: str) -> None:
    gateway.on("POST", "/v1/chat/completions", answer)
    with pytest.raises(JudgeFault, match=sentence):
        llm.llm_complete([{"role": "user", "content": "hi"}])


@pytest.mark.parametrize("ask", [lambda: llm.judge("x"), lambda: llm.llm_complete([])])
def test_no_model_and_a_model_that_is_gone_are_faults(here: Here, ask: Any) -> None:
    here.set(LITELLM_BASE_URL="")
    with pytest.raises(JudgeFault, match="LITELLM_BASE_URL is not set"):
        ask()
    here.set(LITELLM_BASE_URL="http://127.0.0.1:9")
    with pytest.raises(JudgeFault):
        ask()


@pytest.mark.parametrize(
    ("content", "picture", "kind", "asked"),
    [
        ("text", None, "image/jpeg", {"evidence": "text", "images": []}),
        ("text", None, "image/gif", {"evidence": "text", "images": []}),
        ("text", "p", "image/png", {"evidence": "text", "images": ["image/png"]}),
        (None, "p", "image/jpeg", {"evidence": "", "images": ["image/jpeg"]}),
        ("text", "p", "image/gif", None),
        ("", "", "image/jpeg", None),
        (None, None, "image/jpeg", None),
        ("text", "absent", "image/jpeg", None),
    ],
)
def test_text_pictures_or_both_are_judged_and_nothing_is_not(
    here: Here, gateway: SmallCompany, content: str | None, picture: str | None, kind: str, asked: dict[str, Any] | None
) -> None:
    gateway.on("POST", "/v1/judge", verdict())
    (here.folder / "p").write_bytes(b"picture")
    assert llm.evaluate_with_llm(content, "it rained", "more", picture, kind) is (asked is not None)
    if asked is None:
        assert gateway.asked == []
    else:
        found = sent(gateway)
        assert (found["question"], found["guidance"], found["evidence"]) == ("it rained", "more", asked["evidence"])
        assert [one["type"] for one in found["images"]] == asked["images"]
    assert faults() == []


def test_two_pictures_go_to_the_judge_in_their_order(here: Here, gateway: SmallCompany) -> None:
    gateway.on("POST", "/v1/judge", verdict())
    for name, content in {"a": PNG, "b": JPEG, "c": b"GIF"}.items():
        (here.folder / name).write_bytes(content)
    assert llm.compare_images_with_llm("a", "b", "alike?", "look") is True
    found = sent(gateway)
    assert [found[key] for key in ("question", "evidence", "guidance")] == ["alike?", "", "look"]
    assert [one["type"] for one in found["images"]] == ["image/png", "image/jpeg"]
    for first, second in (("a", "c"), ("c", "a"), (None, "a"), ("a", None), ("a", "absent")):
        assert llm.compare_images_with_llm(first, second) is False
    assert [llm.verify_image_file(one) for one in ("a", "b", "c", "absent", "", None)] == [True, True, *[False] * 4]
    assert len(gateway.asked) == 1


def test_a_judge_that_fails_is_a_no_with_a_fault_on_record(gateway: SmallCompany) -> None:
    gateway.on("POST", "/v1/judge", Answer({"error": {"message": "out of order"}}, 500))
    assert llm.evaluate_with_llm("text", "it rained") is False
    assert [(fault.source, fault.sentence) for fault in faults()] == [("judge", "out of order")]


class Talk:
    """A chat in which one person has been written to."""

    session = SimpleNamespace(headers={"X-User-Id": "u0"})

    def users_list(self, sort: str) -> Any:
        return SimpleNamespace(json=lambda: {"users": [{"_id": "u1", "name": "Mara"}, {"_id": "u2", "name": "Tom"}]})

    def im_history(self, room_id: str, count: int) -> Any:
        newest_first = [
            {"msg": "", "u": {"username": "mara"}},
            {"msg": "really?\nmara: it was wet", "u": {"username": "sam"}},
            {"msg": "it was wet", "u": {"username": "mara"}},
        ]
        return SimpleNamespace(json=lambda: {"messages": newest_first if room_id == "u1" else []})


def test_a_talk_is_judged_with_its_speakers_where_there_was_one(gateway: SmallCompany) -> None:
    gateway.on("POST", "/v1/judge", verdict())
    chat: Any = Talk()
    assert llm.evaluate_chat_history_with_llm(chat, "mara", "it rained") is True
    assert sent(gateway)["question"] == "it rained"
    assert sent(gateway)["evidence"] == [
        {"speaker": "mara", "text": "it was wet"},
        {"speaker": "sam", "text": "really?\nmara: it was wet"},
    ]
    assert llm.evaluate_chat_history_with_llm(chat, "mara", "it rained", of="sam") is True
    assert sent(gateway)["of"] == "sam"
    assert llm.evaluate_chat_history_with_llm(chat, "tom", "it rained") is False
    assert len(gateway.asked) == 2


# -- what lies in the workspace ---------------------------------------------------------------------------------------


def test_each_project_has_a_file_that_tells_its_clone_from_an_empty_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    marks = {
        "openhands": ".openhands_instructions",
        "janusgraph": ".backportrc.json",
        "colly": "xmlelement_test.go",
        "streamlit": ".ruff.toml",
        "risingwave": "risedev.yml",
        "bustub": "CMakeLists.txt",
    }
    there = {f"/workspace/{name}/{mark}" for name, mark in marks.items()}
    monkeypatch.setattr("os.path.isfile", lambda path: path in there)
    assert marks == workspace.PROJECT_FILES
    assert all(workspace.check_repo_exists(name) for name in marks)
    assert not workspace.check_repo_exists("other")
    there.clear()
    assert not workspace.check_repo_exists("colly")


def test_a_slides_text_is_all_of_it_in_lower_case() -> None:
    def shape(text: str | None) -> Any:
        return SimpleNamespace(has_text_frame=text is not None, text_frame=SimpleNamespace(text=text))

    slide = SimpleNamespace(shapes=[shape("One"), shape(None), shape("TWO")])
    assert workspace.get_all_texts_from_slide(slide) == "one two"
    assert workspace.get_all_texts_from_slide(None) == ""


def test_a_text_file_for_readers_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PN")
    assert llm.verify_image_file(str(tmp_path / "a.png")) is False
