"""What goes wrong at the provider is retried where that helps, and labelled where it does not."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.rate_limits import Bucket, Limiter, Limits
from tests.llm.gateways import open_gateway, run

ASK = {"messages": [{"role": "user", "content": "Hello"}]}


def test_a_storm_of_429_is_waited_out_by_everyone() -> None:
    async def main() -> None:
        rules = [{"fault": {"status": 429, "retry_after": 0.01}, "times": 25}, {"say": "Calm again."}]
        async with open_gateway(rules, concurrency=4, retries=20) as opened:
            answers = await asyncio.gather(*(opened.chat(f"Caller {number}") for number in range(20)))
            assert [one.status_code for one in answers] == [200] * 20
            assert len(opened.model.asked) == 45
            assert opened.model.most_at_once <= 4
            assert opened.access.faults == []

    run(main())


@pytest.mark.parametrize(
    ("fault", "streamed"),
    [
        ({"status": 500}, False),
        ({"status": 503}, True),
        ({"status": 529}, False),
        ("drop", False),
        ("drop", True),
        ("half", False),
        ("short", False),
        ("garbage", False),
    ],
)
def test_what_may_pass_is_tried_again(fault: Any, streamed: bool) -> None:
    async def main() -> None:
        async with open_gateway([{"fault": fault, "times": 2}, {"say": "There you are."}]) as opened:
            answer = await opened.chat(stream=streamed)
            assert answer.status_code == 200
            assert len(opened.model.asked) == 3
            assert opened.access.faults == []

    run(main())


@pytest.mark.parametrize(
    ("fault", "status", "label", "asked"),
    [
        ({"status": 500}, 503, Label.PROVIDER_DOWN, 3),
        ({"status": 429, "retry_after": 0}, 503, Label.PROVIDER_DOWN, 3),
        ("drop", 503, Label.PROVIDER_DOWN, 3),
        ("garbage", 502, Label.MALFORMED, 3),
        ({"status": 401}, 502, Label.REFUSED, 1),
        ({"status": 404}, 502, Label.REFUSED, 1),
        ({"status": 429, "message": "insufficient_quota"}, 502, Label.REFUSED, 1),
        ("silence", 504, Label.LATE, 3),
    ],
)
def test_what_does_not_pass_is_a_labelled_fault(fault: Any, status: int, label: Label, asked: int) -> None:
    async def main() -> None:
        limit: dict[str, Any] = {"timeout": 0.1} if fault == "silence" else {}
        async with open_gateway([{"fault": fault}], retries=2, **limit) as opened:
            answer = await opened.chat()
            assert answer.status_code == status
            assert answer.json()["error"]["code"] == label
            assert answer.headers["x-should-retry"] == "false"
            assert len(opened.model.asked) == asked + 1, "and a plain question, which is not answered either"
            assert [(one.label, one.spoils) for one in opened.access.faults] == [(label, True)]
            assert opened.access.usage.tokens == 0

    run(main())


def test_a_provider_that_is_not_there_is_down() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], retries=1) as opened:
            chosen = opened.gateway.model("examinee")
            assert chosen is not None
            upstream = opened.gateway._upstreams["here"]
            object.__setattr__(upstream.provider, "base_url", "http://127.0.0.1:9/v1")
            answer = await opened.chat()
            assert answer.json()["error"]["code"] == "provider_down"
            assert "'here' could not be reached" in answer.json()["error"]["message"]

    run(main())


def test_a_request_the_provider_finds_wrong_is_between_it_and_the_caller() -> None:
    async def main() -> None:
        message = "This model's maximum context length is 10 tokens."
        async with open_gateway([{"fault": {"status": 400, "message": message}}]) as opened:
            answer = await opened.chat()
            assert (answer.status_code, answer.json()["error"]["message"]) == (400, message)
            assert opened.access.faults == []
            npc = opened.gateway.admit("example.1", "npc")
            with pytest.raises(ModelFault, match="maximum context"):
                await npc.complete(ASK)
            assert [one.label for one in npc.faults] == [Label.REFUSED]

    run(main())


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", ASK),
        ("/v1/responses", {"input": "Hello"}),
        ("/v1/messages", {**ASK, "max_tokens": 9}),
    ],
)
@pytest.mark.parametrize("fault", ["half", "short"])
def test_a_stream_that_breaks_ends_with_an_error_the_client_can_read(
    path: str, body: dict[str, Any], fault: str
) -> None:
    async def main() -> None:
        async with open_gateway([{"fault": fault}]) as opened:
            answer = await opened.client.post(path, json={**body, "stream": True})
            assert answer.status_code == 200
            last = answer.text.strip().split("\n\n")[-1]
            data = json.loads(next(line[6:] for line in last.splitlines() if line.startswith("data: ")))
            code = data["code"] if path == "/v1/responses" else data["error"]["code"]
            assert code == "malformed"
            assert ("event: error" in last) == (path != "/v1/chat/completions")
            assert opened.access.usage.unmetered == 1
            assert [one.label for one in opened.access.faults] == [Label.MALFORMED]

    run(main())


def test_a_stream_that_is_nonsense_from_the_beginning_is_an_error_with_a_status() -> None:
    async def main() -> None:
        async with open_gateway([{"fault": "garbage"}]) as opened:
            answer = await opened.chat(stream=True)
            assert (answer.status_code, answer.json()["error"]["code"]) == (502, "malformed")
            assert [one.label for one in opened.access.faults] == [Label.MALFORMED]

    run(main())


def test_a_stream_that_falls_silent_is_late() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "One. Two. Three. Four.", "chunk_delay": 2}], timeout=0.15) as opened:
            answer = await opened.chat(stream=True)
            assert "fell silent" in answer.text
            assert [one.label for one in opened.access.faults] == [Label.LATE]

    run(main())


def test_no_more_calls_at_once_than_the_provider_may_have() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok", "delay": 0.01}], concurrency=3) as opened:
            await asyncio.gather(*(opened.chat() for _ in range(12)))
            assert opened.model.most_at_once == 3

    run(main())


def test_a_broken_stream_gives_its_place_back() -> None:
    async def main() -> None:
        rules = [{"when": {"last": "break"}, "fault": "half"}, {"say": "ok"}]
        async with open_gateway(rules, concurrency=1) as opened:
            for _ in range(3):
                await opened.chat("break", stream=True)
            assert (await opened.chat("go on")).status_code == 200

    run(main())


def test_a_pause_the_provider_asked_one_caller_for_holds_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        waited: list[float] = []

        async def wait(seconds: float) -> None:
            waited.append(seconds)

        limiter = Limiter(Limits("here"))
        limiter.pause(30)
        limiter.pause(5)
        monkeypatch.setattr("dayjob.llm.rate_limits.asyncio.sleep", wait)
        await limiter.enter()
        monkeypatch.undo()
        limiter.leave()
        assert sum(waited) == pytest.approx(30, abs=1)

    run(main())


def test_requests_a_minute_are_kept() -> None:
    bucket = Bucket(60)
    waits = []
    for _ in range(12):
        bucket.draw(1)
        waits.append(bucket.wait())
    assert waits[0] == 0.0
    assert waits[9] == 0.0
    assert waits[11] == pytest.approx(2.0, abs=0.1)
