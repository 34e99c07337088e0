"""A recorded run can be replayed without a model, to the byte; what was not recorded is shown, not guessed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from dayjob.http.server import Server, bind
from dayjob.llm.cassette import Cassette, Take
from dayjob.llm.dialects import CHAT
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.gateway import Gateway
from dayjob.llm.prices import Price, package_prices
from dayjob.llm.secret import Scrubber
from dayjob.llm.settings import LlmSettings, Role
from tests.llm.gateways import open_gateway, run

TALK = [{"role": "user", "content": "Tell me at 2026-03-09T09:00:00.123Z"}]
REQUESTS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/chat/completions", {"messages": TALK}),
    ("/v1/chat/completions", {"messages": TALK, "stream": True}),
    ("/v1/chat/completions", {"messages": TALK, "stream": True, "stream_options": {"include_usage": True}}),
    ("/v1/responses", {"input": "Tell me", "stream": True}),
    ("/v1/messages", {"messages": TALK, "max_tokens": 5, "stream": True}),
    ("/v1/messages", {"messages": TALK, "max_tokens": 5}),
    ("/v1/chat/completions", {"messages": [{"role": "user", "content": "break"}], "stream": True}),
]
RULES: list[dict[str, Any]] = [
    {"when": {"last": "break"}, "fault": "half"},
    {"say": "First – äöü 日本.", "times": 3},
    {"say": "Then this."},
]


def only_file(folder: Path) -> Path:
    (file,) = folder.rglob("*.json")
    return file


async def ask_all(url_of: Any) -> list[bytes]:
    return [(await url_of.post(path, json=body)).content for path, body in REQUESTS]


def replaying(folder: Path) -> Gateway:
    return Gateway(LlmSettings(), cassette=Cassette(folder, "replay"))


async def replayed(folder: Path, requests: list[tuple[str, dict[str, Any]]], trial: str = "example.1") -> list[Any]:
    """The same requests to a gateway that has a cassette, no settings and no provider."""
    import httpx

    async with replaying(folder) as gateway, Server() as host:
        sock = bind()
        await host.listen(gateway.app(), sock)
        access = gateway.admit(trial, "examinee")
        headers = {"authorization": f"Bearer {access.token.reveal()}"}
        url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, verify=False) as client:
            answers = [await client.post(path, json=body) for path, body in requests]
        return [*answers, access]


def test_a_replayed_answer_is_no_wait_for_a_turn(tmp_path: Path) -> None:
    asked = {"messages": TALK, "stream": True}
    recording = Cassette(tmp_path, "record")
    spot = recording.place("example.1", "examinee", "chat", asked)
    take = Take(200, "text/event-stream", b"data: {}\n\ndata: [DONE]\n\n", None, "m", None)
    recording.record(spot, "chat", asked, take, Scrubber())

    async def main() -> None:
        async with replaying(tmp_path) as gateway:
            access = gateway.admit("example.1", "examinee")
            answer = await gateway.ask(access, CHAT, asked, {})
            assert answer.events is not None
            assert not access.waits.paused
            assert b"".join([event async for event in answer.events]) == take.body

    run(main())


def test_a_recording_is_replayed_to_the_byte_with_its_tokens_and_faults(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_gateway(RULES, cassette=Cassette(tmp_path, "record")) as opened:
            recorded = await ask_all(opened.client)
            usage, faults = opened.access.usage, opened.access.faults
        for _ in range(2):
            *answers, access = await replayed(tmp_path, REQUESTS)
            assert [one.content for one in answers] == recorded
            assert access.usage.as_dict() == usage.as_dict()
            assert [one.sentence for one in access.faults] == [one.sentence for one in faults]

    run(main())


def test_a_replayed_call_costs_what_it_cost(tmp_path: Path) -> None:
    async def main() -> None:
        prices = {"gpt-test": Price(1.0, 2.0)}
        async with open_gateway(
            [{"say": "ok"}], cassette=Cassette(tmp_path, "record"), prices=prices, role="npc"
        ) as opened:
            await opened.access.complete({"messages": TALK})
            cost = opened.access.usage.cost_usd
        assert cost
        settings = LlmSettings(prices=package_prices().extended(prices))
        async with Gateway(settings, cassette=Cassette(tmp_path, "replay")) as gateway:
            access = gateway.admit("example.1", "npc")
            await access.complete({"messages": TALK})
            assert access.usage.cost_usd == cost

    run(main())


def test_the_same_question_gets_its_answers_in_the_order_they_came(tmp_path: Path) -> None:
    async def main() -> None:
        rules = [{"say": "One", "once": True}, {"say": "Two", "once": True}, {"say": "Three"}]
        async with open_gateway(rules, cassette=Cassette(tmp_path, "record")) as opened:
            for _ in range(3):
                await opened.chat("Count")
        request = ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Count"}]})
        *answers, access = await replayed(tmp_path, [request] * 4)
        texts = [one.json()["choices"][0]["message"]["content"] for one in answers[:3]]
        assert texts == ["One", "Two", "Three"]
        assert answers[3].status_code == 502
        assert "3 answer(s)" in answers[3].json()["error"]["message"]
        assert access.faults[0].label is Label.REPLAY_MISS

    run(main())


def test_a_trial_that_is_tried_again_is_answered_from_the_beginning(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_gateway(
            [{"say": "One.", "once": True}, {"say": "Two."}], cassette=Cassette(tmp_path, "record")
        ) as opened:
            assert [(await opened.chat()).status_code for _ in range(2)] == [200, 200]
        async with open_gateway([], cassette=Cassette(tmp_path, "replay")) as opened:
            for _ in range(2):
                access = opened.gateway.admit("example.1", "examinee")
                async with opened.client_of(access) as client:
                    body = {"model": "any", "messages": [{"role": "user", "content": "Hello"}]}
                    answers = [(await client.post("/v1/chat/completions", json=body)).json() for _ in range(2)]
                    assert [one["choices"][0]["message"]["content"] for one in answers] == ["One.", "Two."]

    run(main())


def test_times_ids_and_ports_may_differ_but_words_may_not(tmp_path: Path) -> None:
    tape = Cassette(tmp_path, "replay", volatile=["build-[0-9]+"])

    def key(text: str, **more: Any) -> str:
        return tape.key("chat", {"messages": [{"role": "user", "content": text}], **more})

    recorded = key("At 2026-03-09T09:00:00Z, call_abcdefgh12 on 127.0.0.1:4711 in /tmp/x81, build-7")
    assert recorded == key("At 2027-01-02 03:04:05.6, call_zyxwvuts98 on localhost:99 in /tmp/b_2, build-41")
    assert recorded != key("On 2026-03-09T09:00:00Z, call_abcdefgh12 on 127.0.0.1:4711 in /tmp/x81, build-7")
    assert key("a", user="u1", model="m1") == key("a", user="u2", model="m2")
    assert key("a", temperature=0) != key("a", temperature=1)


def test_a_miss_shows_the_nearest_recorded_request_and_the_difference(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], cassette=Cassette(tmp_path, "record")) as opened:
            await opened.chat("Something quite different")
            await opened.chat("Send the report to Mara\nby noon")
        request = {"messages": [{"role": "user", "content": "Send the report to Jonas\nby noon"}]}
        answer, _ = await replayed(tmp_path, [("/v1/chat/completions", request)])
        message = answer.json()["error"]["message"]
        minus = [line for line in message.splitlines() if line.startswith("-") and "Mara" in line]
        plus = [line for line in message.splitlines() if line.startswith("+") and "Jonas" in line]
        assert len(minus) == len(plus) == 1
        assert "quite different" not in message
        elsewhere, _ = await replayed(tmp_path, [("/v1/chat/completions", request)], trial="other.1")
        assert "it has examinee calls of example.1" in elsewhere.json()["error"]["message"]

    run(main())


def test_cassettes_of_two_trials_merge_by_copying(tmp_path: Path) -> None:
    async def main() -> None:
        for trial in ("a.1", "b.1"):
            tape = Cassette(tmp_path / trial, "record")
            async with open_gateway([{"say": f"I am {trial}."}], cassette=tape, trial=trial) as opened:
                await opened.chat("Who?")
            shutil.copytree(tmp_path / trial, tmp_path / "both", dirs_exist_ok=True)
        request = ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Who?"}]})
        for trial in ("a.1", "b.1"):
            answer, _ = await replayed(tmp_path / "both", [request], trial=trial)
            assert answer.json()["choices"][0]["message"]["content"] == f"I am {trial}."

    run(main())


def test_pictures_are_matched_by_content_but_not_kept(tmp_path: Path) -> None:
    async def main() -> None:
        def body(data: str) -> dict[str, Any]:
            image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
            return {"messages": [{"role": "user", "content": [image]}]}

        async with open_gateway([{"say": "A cat."}], cassette=Cassette(tmp_path, "record")) as opened:
            await opened.client.post("/v1/chat/completions", json=body("QUJD" * 500))
        file = only_file(tmp_path)
        assert file.stat().st_size < 2000
        same, other, _ = await replayed(
            tmp_path, [("/v1/chat/completions", body("QUJD" * 500)), ("/v1/chat/completions", body("QUJE" * 500))]
        )
        assert (same.status_code, other.status_code) == (200, 502)

    run(main())


def test_a_newer_or_torn_cassette_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], cassette=Cassette(tmp_path, "record"), role="npc") as opened:
            await opened.access.complete({"messages": TALK})
        file = only_file(tmp_path)
        role: Role = "npc"
        for text, sentence in ((json.dumps({"format": 2}), "format 2"), ('{"form', "cannot be read")):
            file.write_text(text, "utf-8")
            async with replaying(tmp_path) as gateway:
                access = gateway.admit("example.1", role)
                with pytest.raises(ModelFault, match=sentence):
                    await access.complete({"messages": TALK})

    run(main())
