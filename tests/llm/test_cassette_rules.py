"""What is asked again, what is written down and in which order: the cassette alone, without a gateway."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.budget import Tokens
from dayjob.llm.cassette import Cassette, Take, shortened
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.secret import Scrubber, Secret

ASKED: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}], "tools": [{"name": "look"}]}
KEYS = Scrubber()


def key(request: dict[str, Any], **options: Any) -> str:
    return Cassette(Path("unused"), "replay", **options).key("chat", request)


def with_text(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


FIELDS = [
    "model",
    "user",
    "metadata",
    "stream_options",
    "safety_identifier",
    "prompt_cache_key",
    "service_tier",
    "store",
]


@pytest.mark.parametrize("field", FIELDS)
def test_what_says_nothing_about_the_question_makes_no_other_question(field: str) -> None:
    assert key({**ASKED, field: "one"}) == key({**ASKED, field: {"another": 2}}) == key(ASKED)


@pytest.mark.parametrize("field", FIELDS)
def test_the_same_names_further_down_are_part_of_the_question(field: str) -> None:
    def nested(value: str) -> dict[str, Any]:
        return {**ASKED, "tools": [{"name": "look", "parameters": {"properties": {field: value}}}]}

    assert key(nested("one")) != key(nested("two"))


@pytest.mark.parametrize(
    "field", ["temperature", "seed", "messages", "tools", "stream", "max_tokens", "response_format"]
)
def test_anything_else_is_part_of_the_question(field: str) -> None:
    assert key({**ASKED, field: 1}) != key({**ASKED, field: 2})


def test_the_order_of_fields_is_none_and_of_messages_is_one() -> None:
    assert key(ASKED) == key(dict(reversed(ASKED.items())))
    first, second = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    assert key({"messages": [first, second]}) != key({"messages": [second, first]})


def test_another_dialect_is_another_question() -> None:
    cassette = Cassette(Path("unused"), "replay")
    assert cassette.key("chat", ASKED) != cassette.key("messages", ASKED)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 2026-03-09T09:00:00.123Z", "at 2027-12-31 23:59:59+02:00"),
        ("at 2026-03-09 09:00", "at 2026-03-10 10:30"),
        ("took 09:00:01,5", "took 10:11:12"),
        ("id 123e4567-e89b-12d3-a456-426614174000", "id 00000000-0000-0000-0000-000000000000"),
        ("call_abcdefgh1", "call_ABCDEFGH2"),
        ("toolu-12345678", "toolu_987654321"),
        ("http://127.0.0.1:3000/x", "http://localhost:41234/x"),
        ("object at 0x7f00aa", "object at 0x7f11bb22cc"),
        ("/tmp/abc_1.txt", "/tmp/other-2"),
    ],
)
def test_what_differs_from_run_to_run_makes_no_other_question(one: str, other: str) -> None:
    assert key(with_text(one)) == key(with_text(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 2026-03-09", "on 2026-03-10"),
        ("at 09:00", "at 10:00"),
        ("call_short", "call_other"),
        ("http://larkspur.test:3000", "http://larkspur.test:8929"),
        ("0xabc", "0xdef"),
        ("/workspace/a", "/workspace/b"),
        ("ticket A-1", "ticket A-2"),
    ],
)
def test_words_that_mean_something_make_another_question(one: str, other: str) -> None:
    assert key(with_text(one)) != key(with_text(other))


def test_settings_may_name_more_that_differs() -> None:
    one, other = with_text("ticket A-1"), with_text("ticket A-2")
    assert key(one, volatile=[r"A-\d"]) == key(other, volatile=[r"A-\d"])


# -- recording ---------------------------------------------------------------------------------------------------


def replayed(folder: Path, times: int, request: dict[str, Any] = ASKED) -> list[bytes]:
    cassette = Cassette(folder, "replay")
    spots = [cassette.place("t.1", "examinee", "chat", request) for _ in range(times)]
    return [cassette.replay(spot, "chat", request).body for spot in spots]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_calls_that_end_in_another_order_are_replayed_in_the_order_they_began(
    order: tuple[int, ...], tmp_path: Path
) -> None:
    cassette = Cassette(tmp_path, "record")
    spots = [cassette.place("t.1", "examinee", "chat", ASKED) for _ in order]
    for number in order:
        cassette.record(spots[number], "chat", ASKED, Take(body=b"answer %d" % number), KEYS)
    assert replayed(tmp_path, 3) == [b"answer 0", b"answer 1", b"answer 2"]


def test_a_call_that_was_given_up_leaves_a_gap_and_not_anothers_answer(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, "record")
    cassette.place("t.1", "examinee", "chat", ASKED)
    cassette.record(cassette.place("t.1", "examinee", "chat", ASKED), "chat", ASKED, Take(body=b"second"), KEYS)
    with pytest.raises(ModelFault) as miss:
        replayed(tmp_path, 1)
    assert miss.value.label is Label.REPLAY_MISS
    playing = Cassette(tmp_path, "replay")
    spots = [playing.place("t.1", "examinee", "chat", ASKED) for _ in range(3)]
    assert playing.replay(spots[1], "chat", ASKED).body == b"second"
    with pytest.raises(ModelFault, match=r"2 answer.*asked for the 3\. time"):
        playing.replay(spots[2], "chat", ASKED)


@pytest.mark.parametrize("again", ["the trial", "the recording"])
def test_what_is_recorded_once_more_takes_the_place_of_what_was(again: str, tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, "record")
    for body in (b"old 1", b"old 2"):
        cassette.record(cassette.place("t.1", "examinee", "chat", ASKED), "chat", ASKED, Take(body=body), KEYS)
    if again == "the trial":
        cassette.begin("t.1", "examinee")
    else:
        cassette = Cassette(tmp_path, "record")
    cassette.record(cassette.place("t.1", "examinee", "chat", ASKED), "chat", ASKED, Take(body=b"new"), KEYS)
    assert replayed(tmp_path, 1) == [b"new"]
    with pytest.raises(ModelFault, match="1 answer"):
        replayed(tmp_path, 2)


def test_a_trial_that_begins_again_forgets_its_own_place_and_nobody_elses(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, "replay")
    for trial, role in (("t.1", "examinee"), ("t.1", "judge"), ("t.2", "examinee")):
        cassette.place(trial, role, "chat", ASKED)
    cassette.begin("t.1", "examinee")
    assert [
        cassette.place(trial, role, "chat", ASKED).position
        for trial, role in (("t.1", "examinee"), ("t.1", "judge"), ("t.2", "examinee"))
    ] == [0, 1, 1]


def test_playing_a_cassette_leaves_it_as_it_is(tmp_path: Path) -> None:
    recording = Cassette(tmp_path, "record")
    recording.record(recording.place("t.1", "examinee", "chat", ASKED), "chat", ASKED, Take(body=b"kept"), KEYS)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.json")}
    assert replayed(tmp_path, 1) == replayed(tmp_path, 1) == [b"kept"]
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.json")} == before


def test_keys_and_passes_are_in_neither_the_request_nor_the_answer(tmp_path: Path) -> None:
    scrubber = Scrubber([Secret("sk-a-real-key"), Secret('dj-a "quoted" pass')])
    request = with_text('my key is sk-a-real-key and my pass dj-a "quoted" pass')
    cassette = Cassette(tmp_path, "record")
    spot = cassette.place("t.1", "examinee", "chat", request)
    cassette.record(spot, "chat", request, Take(body=b'sk-a-real-key dj-a "quoted" pass'), scrubber)
    text = spot.file.read_text()
    assert "real-key" not in text
    assert "quoted" not in text
    facts = json.loads(text)
    assert facts["request"]["messages"][0]["content"] == "my key is *** and my pass ***"
    assert facts["answers"][0]["body"] == "*** ***"


def test_a_recording_can_be_read_by_people(tmp_path: Path) -> None:
    cassette, request = Cassette(tmp_path, "record"), with_text("Grüße")
    spot = cassette.place("t.1", "examinee", "chat", request)
    cassette.record(spot, "chat", request, Take(body="äöü".encode()), KEYS)
    text = spot.file.read_text("utf-8")
    assert "Grüße" in text
    assert "äöü" in text
    assert len(text.splitlines()) > 10
    assert list(json.loads(text)) == ["answers", "dialect", "format", "request"]


@pytest.mark.parametrize(("length", "kept"), [(999, True), (1000, True), (1001, False)])
def test_long_base64_is_named_by_its_content_and_words_are_kept(length: int, kept: bool) -> None:
    picture = "QUJD" * 400
    found = shortened({"data": picture[:length], "text": "two words. " * 200})
    assert (found["data"] == picture[:length]) is kept
    assert kept or found["data"].startswith(f"<{length} base64 characters, ")
    assert found["text"] == "two words. " * 200


@pytest.mark.parametrize(("length", "kept"), [(199, True), (200, False)])
def test_a_picture_in_an_address_is_named_by_its_content(length: int, kept: bool) -> None:
    url = f"data:image/png;base64,{'A' * length}"
    found = shortened({"parts": [{"url": f"see {url}"}]})["parts"][0]["url"]
    assert (found == f"see {url}") is kept
    assert kept or found.startswith("see <image/png, ")


@pytest.mark.parametrize(
    "take",
    [
        Take(),
        Take(404, "text/plain", b"no", Tokens(1, 2, 3, 4), "a-model"),
        Take(body=b"\xff\xfe not text"),
        Take(body="äöü 日本".encode()),
        Take(200, "text/event-stream", b"data: x\n\n", fault=ModelFault(Label.LATE, "It fell silent.")),
    ],
)
def test_an_answer_survives_its_journey(take: Take) -> None:
    found = Take.from_dict(json.loads(json.dumps(take.as_dict())))
    assert [getattr(found, name) for name in ("status", "content_type", "body", "tokens", "model")] == [
        getattr(take, name) for name in ("status", "content_type", "body", "tokens", "model")
    ]
    assert (found.fault and (found.fault.label, found.fault.sentence)) == (
        take.fault and (take.fault.label, take.fault.sentence)
    )


@pytest.mark.parametrize(
    ("trial", "folder"),
    [("task.agent.1", "task.agent.1"), ("../../etc", "_.._etc"), ("a/b c", "a_b_c"), ("..", "trial")],
)
def test_a_trials_name_stays_within_the_cassette(trial: str, folder: str, tmp_path: Path) -> None:
    spot = Cassette(tmp_path, "replay").place(trial, "examinee", "chat", ASKED)
    assert spot.file.parent == tmp_path / folder / "examinee"


def test_when_a_line_was_written_in_chat_does_not_count_and_what_it_says_does() -> None:
    def told(at: str, text: str) -> str:
        said = json.dumps({"at": at, "from": "sam.reed", "text": text})
        system = f"It is 2026-03-09 {at[-5:]}, a Monday."
        messages = [{"role": "system", "content": system}, {"role": "user", "content": said}]
        return key({"messages": messages})

    assert told("09:20", "Friday at 14:00?") == told("Fri 10:31", "Friday at 14:00?")
    assert told("09:20", "Friday at 14:00?") != told("09:20", "Friday at 15:00?")
