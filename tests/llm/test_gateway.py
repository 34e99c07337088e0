"""The gateway passes requests through to a provider, and nothing it should not."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from pathlib import Path
from typing import Any

import httpx
import pytest

from dayjob.http.server import Server, bind
from dayjob.llm.budget import Budget
from dayjob.llm.calls import CallLog
from dayjob.llm.cassette import Cassette
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.gateway import Gateway
from dayjob.llm.settings import LlmSettings, script_model
from tests.llm.gateways import KEY, open_gateway, run, until

TOOLS = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_an_answer_comes_back_and_is_counted() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "Good morning.", "usage": {"prompt": 11, "completion": 4}}]) as opened:
            answer = (await opened.chat()).json()
            assert answer["choices"][0]["message"]["content"] == "Good morning."
            assert opened.access.usage.as_dict() == {
                "calls": 1,
                "prompt_tokens": 11,
                "cached_tokens": 0,
                "completion_tokens": 4,
                "unmetered_calls": 0,
                "cost_usd": None,
            }

    run(main())


def test_the_role_s_model_is_asked_whatever_name_the_caller_gives() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], also=("small-model",)) as opened:
            await opened.chat(model="something-expensive")
            await opened.chat(model="small-model")
            assert [one["model"] for one in opened.model.asked] == ["gpt-test", "small-model"]
            listed = (await opened.client.get("/v1/models")).json()
            assert [one["id"] for one in listed["data"]] == ["gpt-test", "small-model"]

    run(main())


def test_tools_and_images_reach_the_provider_as_they_were_sent() -> None:
    async def main() -> None:
        call = {"name": "bash", "arguments": {"command": "ls"}}
        async with open_gateway([{"call": call}]) as opened:
            picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
            content = [{"type": "text", "text": "What is this?"}, picture]
            answer = await opened.chat(tools=TOOLS, messages=[{"role": "user", "content": content}])
            made = answer.json()["choices"][0]["message"]["tool_calls"][0]["function"]
            assert made == {"name": "bash", "arguments": '{"command": "ls"}'}
            assert opened.model.asked[0]["tools"] == TOOLS
            assert opened.model.asked[0]["messages"][0]["content"] == content

    run(main())


async def events(client: httpx.AsyncClient, path: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    async with client.stream("POST", path, json={**body, "stream": True}) as response:
        assert response.status_code == 200
        text = (await response.aread()).decode()
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]


def test_a_stream_arrives_event_by_event_and_its_usage_is_counted_but_not_forced_on_the_caller() -> None:
    async def main() -> None:
        rules = [{"say": "A longer answer in pieces.", "usage": {"prompt": 7, "completion": 9}}]
        async with open_gateway(rules) as opened:
            body: dict[str, Any] = {"messages": [{"role": "user", "content": "Go"}]}
            plain = await events(opened.client, "/v1/chat/completions", body)
            assert "".join(one["choices"][0]["delta"].get("content", "") for one in plain) == rules[0]["say"]
            assert all(one["choices"] for one in plain)
            body["stream_options"] = {"include_usage": True}
            asked = await events(opened.client, "/v1/chat/completions", body)
            assert asked[-1]["usage"]["completion_tokens"] == 9
            assert (opened.access.usage.prompt_tokens, opened.access.usage.completion_tokens) == (14, 18)

    run(main())


@pytest.mark.parametrize("streamed", [False, True])
def test_responses_pass_through(streamed: bool) -> None:
    async def main() -> None:
        async with open_gateway([{"say": "Here.", "usage": {"prompt": 5, "completion": 2}}]) as opened:
            body = {"model": "x", "input": "Where?", "instructions": "Be brief."}
            if streamed:
                last = (await events(opened.client, "/v1/responses", body))[-1]
                assert last["type"] == "response.completed"
                answer = last["response"]
            else:
                answer = (await opened.client.post("/v1/responses", json=body)).json()
            assert answer["output"][0]["content"][0]["text"] == "Here."
            assert opened.access.usage.tokens == 7

    run(main())


@pytest.mark.parametrize("streamed", [False, True])
def test_anthropic_messages_pass_through_with_their_key_and_version(streamed: bool) -> None:
    async def main() -> None:
        call = {"name": "bash", "arguments": {"command": "ls"}}
        rules = [{"say": "Yes.", "call": call, "usage": {"prompt": 5, "completion": 2}}]
        async with open_gateway(rules, kind="anthropic") as opened:
            body: dict[str, Any] = {"model": "x", "max_tokens": 10, "system": "Be brief."}
            body["messages"] = [{"role": "user", "content": "?"}]
            opened.client.headers["x-api-key"] = opened.client.headers.pop("authorization").removeprefix("Bearer ")
            if streamed:
                found = await events(opened.client, "/v1/messages", body)
                assert found[-1] == {"type": "message_stop"}
                texts = [one["delta"].get("text", "") for one in found if one["type"] == "content_block_delta"]
                assert "".join(texts) == "Yes."
            else:
                found = (await opened.client.post("/v1/messages", json=body)).json()["content"]
                assert found[0]["text"] == "Yes."
                assert found[1]["input"] == {"command": "ls"}
            assert opened.access.usage.tokens == 7
            counted = await opened.client.post("/v1/messages/count_tokens", json=body)
            assert counted.json()["input_tokens"] == 5
            assert opened.access.usage.tokens == 7

    run(main())


def test_an_anthropic_provider_answers_chat_completions_on_its_compatible_endpoint() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "Hello."}], kind="anthropic") as opened:
            assert (await opened.chat()).json()["choices"][0]["message"]["content"] == "Hello."

    run(main())


def test_only_an_open_pass_of_this_door_s_trial_and_role_is_let_in() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}]) as opened, Server() as host:
            sock = bind()
            await host.listen(opened.gateway.app("example.1", ["examinee"]), sock)
            door = f"http://127.0.0.1:{sock.getsockname()[1]}"
            passes = {
                "its own": (opened.access, 200),
                "another role": (opened.gateway.admit("example.1", "judge"), 401),
                "another trial": (opened.gateway.admit("example.2", "examinee"), 401),
            }
            for whose, (access, expected) in passes.items():
                async with opened.client_of(access) as client:
                    response = await client.get(f"{door}/v1/models")
                    assert response.status_code == expected, whose
            async with httpx.AsyncClient(trust_env=False, verify=False) as nobody:
                assert (await nobody.get(f"{door}/v1/models")).status_code == 401
                forged = {"authorization": f"Bearer {KEY}"}
                assert (await nobody.get(f"{door}/v1/models", headers=forged)).status_code == 401
            opened.access.close()
            refused = await opened.chat()
            assert refused.status_code == 401
            assert refused.json()["error"]["code"] == "invalid_api_key"

    run(main())


def test_a_model_that_answers_after_the_pass_is_closed_answers_nobody() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "Too late.", "delay": 5}]) as opened:
            asked = asyncio.create_task(opened.chat())
            await until(lambda: opened.model.asked)
            opened.access.close()
            refused = await asked
            assert refused.status_code == 403
            assert refused.json()["error"]["code"] == "closed"
            assert opened.access.usage.unmetered == 1

    run(main())


def test_a_caller_that_goes_away_ends_the_call_upstream() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "x" * 600, "chunk_delay": 0.02}]) as opened:
            body = {"messages": [{"role": "user", "content": "Go"}], "stream": True}
            async with opened.client.stream("POST", "/v1/chat/completions", json=body) as response:
                async for _ in response.aiter_bytes():
                    break
            await until(lambda: opened.access.usage.unmetered)
            assert opened.access.faults == []
            assert opened.access.usage.cost_usd is None

    run(main())


def test_a_role_without_a_model_gets_a_fault_that_says_how_to_name_one() -> None:
    async def main() -> None:
        async with Gateway(LlmSettings()) as gateway:
            access = gateway.admit("example.1", "npc")
            with pytest.raises(ModelFault, match="DAYJOB_NPC_MODEL") as caught:
                await access.complete({"messages": []})
            assert caught.value.label is Label.UNCONFIGURED
            assert [one.label for one in access.faults] == [Label.UNCONFIGURED]
            assert access.faults[0].spoils

    run(main())


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b'{"messages": [{"role": "user", "content": "hi"}], "tools": ' + b"[" * 90 + b"]" * 90 + b"}", 200),
        (b'{"messages": [{"role": "user", "content": "\\ud800"}], "stream_options": 3}', 200),
    ],
)
def test_malformed_requests_are_the_caller_s_error_and_no_fault(content: bytes, status: int, tmp_path: Path) -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], log=CallLog(tmp_path / "calls.jsonl")) as opened:
            response = await opened.client.post("/v1/chat/completions", content=content)
            assert response.status_code == status
            assert response.json(), "always in the wire's own shape"
            assert opened.access.faults == []

    run(main())


def test_unknown_endpoints_are_refused_in_the_wire_s_own_shape() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}]) as opened:
            assert (await opened.client.post("/v1/embeddings", json={})).json()["error"]["code"] == "unknown_url"
            assert (await opened.client.get("/v1/chat/completions")).status_code == 405
            assert opened.access.strange == {"POST /v1/embeddings": 1}

    run(main())


def command_lines() -> list[bytes]:
    """What a process list shows."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # a process that has just ended
            found.append(one.read_bytes())
    return found


def test_the_key_is_in_no_answer_error_log_evidence_cassette_or_process_list(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        rules: list[dict[str, Any]] = [
            {"when": {"last": "echo"}, "say": f"The key is {KEY}."},
            {"when": {"last": "fail"}, "fault": {"status": 400, "message": f"bad key {KEY}"}},
            {"when": {"last": "refuse"}, "fault": {"status": 401, "message": f"bad key {KEY}"}},
            {"fault": {"status": 500, "message": f"crashed with {KEY}"}},
        ]
        log = CallLog(tmp_path / "calls.jsonl")
        async with open_gateway(rules, cassette=Cassette(tmp_path / "tape", "record"), log=log, retries=1) as opened:
            bodies = [(await opened.chat(word)).text for word in ("echo", "fail", "refuse", "crash")]
            stream = {"messages": [{"role": "user", "content": "echo"}], "stream": True}
            bodies.append((await opened.client.post("/v1/chat/completions", json=stream)).text)
            assert all("***" in one for one in bodies[:4])
            sandbox = opened.access.environment("http://llm.test:4000")
            token = opened.access.token.reveal()
            shown = [*bodies, *sandbox.values(), repr(opened.gateway.settings), repr(opened.access.faults)]
            assert not [one for one in shown if KEY in one]
            assert sandbox["OPENAI_API_KEY"] == sandbox["ANTHROPIC_API_KEY"] == token
            tokens.append(token)
            commands = command_lines()
            assert commands
            assert not [one for one in commands if KEY.encode() in one]

    tokens: list[str] = []
    with caplog.at_level(logging.DEBUG):
        run(main())
    written = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert len(written) == 6
    for one in written:
        assert KEY not in one.read_text("utf-8"), one
        assert tokens[0] not in one.read_text("utf-8"), one
    assert KEY not in caplog.text
    assert caplog.records


def test_the_evidence_holds_each_message_once(tmp_path: Path) -> None:
    async def main() -> None:
        log = CallLog(tmp_path / "calls.jsonl")
        async with open_gateway([{"say": "ok", "usage": {"prompt": 3, "completion": 1}}], log=log) as opened:
            talk: list[dict[str, Any]] = [{"role": "user", "content": "One"}]
            await opened.chat(messages=talk, tools=TOOLS)
            talk += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "Two"}]
            await opened.chat(messages=talk, tools=TOOLS)
        first, second = lines(tmp_path / "calls.jsonl")
        assert first["request"]["messages"] == talk[:1]
        assert first["request"]["tools"] == TOOLS
        assert second["request"]["messages"] == talk[1:]
        assert second["request"]["messages_before"] == 1
        assert second["request"]["tools"] == "as before"
        assert second["tokens"]["prompt"] == 3
        assert json.loads(second["answer"])["choices"][0]["message"]["content"] == "ok"

    run(main())


def test_script_files_are_models_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "model.yml"
    file.write_text("format: 1\nrules:\n  - say: From the file.\n", "utf-8")

    async def main() -> None:
        async with Gateway(LlmSettings({"npc": script_model(file)})) as gateway:
            access = gateway.admit("example.1", "npc")
            answer = await access.complete({"messages": [{"role": "user", "content": "Hi"}]})
            assert answer["choices"][0]["message"]["content"] == "From the file."

    run(main())


def test_every_trial_plays_a_script_from_its_beginning(tmp_path: Path) -> None:
    file = tmp_path / "model.yml"
    file.write_text("rules: [{say: First., once: true}, {say: Second.}]", "utf-8")

    async def main() -> None:
        async with Gateway(LlmSettings({"examinee": script_model(file)})) as gateway:
            for trial in ("example.1", "example.2"):
                access = gateway.admit(trial, "examinee")
                said = [await access.complete({"messages": [{"role": "user", "content": "Hi"}]}) for _ in range(2)]
                assert [one["choices"][0]["message"]["content"] for one in said] == ["First.", "Second."]

    run(main())


def test_what_a_model_does_not_take_is_left_out_for_colleagues_and_judges() -> None:
    async def main() -> None:
        message = "Unsupported value: 'temperature' does not support 0 with this model."
        rules = [{"fault": {"status": 400, "message": message}, "once": True}, {"say": "ok"}]
        async with open_gateway(rules, role="judge") as opened:
            for _ in range(2):
                await opened.access.complete({"messages": [], "temperature": 0, "seed": 1})
            assert ["temperature" in one for one in opened.model.asked] == [True, False, False]
            assert all("seed" in one for one in opened.model.asked)
            assert opened.access.faults == []

    run(main())


def test_fields_a_provider_does_not_take_are_dropped() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], drop=("temperature", "stream_options")) as opened:
            await opened.chat(temperature=1, stream=True)
            assert "temperature" not in opened.model.asked[0]
            assert "stream_options" not in opened.model.asked[0]
            assert opened.access.usage.unmetered == 1

    run(main())


def test_a_spent_budget_ends_the_examinee_s_calls_and_tells_the_trial() -> None:
    async def main() -> None:
        told: list[str] = []
        rules = [{"say": "ok", "usage": {"prompt": 60, "completion": 40}}]
        async with open_gateway(rules, trial_budget=Budget(tokens=150)) as opened:
            opened.access.on_spent = lambda: told.append("spent")
            statuses = [(await opened.chat()).status_code for _ in range(4)]
            assert statuses == [200, 200, 402, 402]
            assert told == ["spent"]
            fault = opened.access.faults[0]
            assert (fault.label, fault.spoils) == (Label.BUDGET_SPENT, False)
            refused = await opened.chat()
            assert refused.headers["x-should-retry"] == "false"
            assert "200 of 150 tokens" in refused.json()["error"]["message"]
            judge = opened.gateway.admit("example.1", "judge")
            assert await judge.complete({"messages": [{"role": "user", "content": "Still there?"}]})

    run(main())


@pytest.mark.parametrize(("budget", "allowed"), [(Budget(calls=2), 2), (Budget(usd=0.0003), 3)])
def test_budgets_in_calls_and_money(budget: Budget, allowed: int) -> None:
    from dayjob.llm.prices import Price

    async def main() -> None:
        rules = [{"say": "ok", "usage": {"prompt": 60, "completion": 40}}]
        prices = {"gpt-test": Price(1.0, 1.0)}
        async with open_gateway(rules, trial_budget=budget, prices=prices) as opened:
            statuses = [(await opened.chat()).status_code for _ in range(5)]
            assert statuses.count(200) == allowed
            assert opened.access.usage.cost_usd == pytest.approx(allowed * 0.0001)

    run(main())


def test_the_run_s_budget_stops_every_role() -> None:
    async def main() -> None:
        async with open_gateway([{"say": "ok"}], run_budget=Budget(calls=1)) as opened:
            assert (await opened.chat()).status_code == 200
            judge = opened.gateway.admit("example.2", "judge")
            with pytest.raises(ModelFault, match="run is spent"):
                await judge.complete({"messages": []})
            assert judge.faults[0].spoils

    run(main())
