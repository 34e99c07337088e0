"""One call through the gateway, without a socket: what the provider is sent, what is counted, written down and told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from dayjob.llm.budget import Budget, Tokens
from dayjob.llm.calls import CallLog
from dayjob.llm.cassette import Cassette
from dayjob.llm.check import ask_once
from dayjob.llm.dialects import CHAT, MESSAGES, RESPONSES, Dialect
from dayjob.llm.faults import Label, ModelFault
from dayjob.llm.gateway import Gateway
from dayjob.llm.prices import Price, Prices
from dayjob.llm.settings import LlmSettings, Role, script_model
from dayjob.llm.upstream import Answer
from tests.llm.provided import ROLES, Answering, Asked, gateway, told

HELLO: dict[str, Any] = {"messages": [{"role": "user", "content": "Hello"}]}
SAID = json.dumps({"choices": [{"message": {"content": "Hi."}}]}).encode()


async def said() -> Answer:
    return Answer(200, "application/json", SAID, tokens=Tokens(3, 1))


def sent(body: dict[str, Any], *, dialect: Dialect = CHAT, role: Role = "examinee", **more: Any) -> Asked:
    """What the provider got."""

    async def main() -> Asked:
        door, provided = gateway(told, **more)
        await door.ask(door.admit("t.1", role), dialect, body, {"openai-beta": "b"})
        (call,) = provided.calls
        return call

    return asyncio.run(main())


# -- what is sent ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("named", "also", "asked"),
    [
        ("any", (), "m"),
        (None, (), "m"),
        (3, (), "m"),
        ("small", ("small",), "small"),
        ("m", ("small",), "m"),
        ("large", ("small",), "m"),
    ],
)
def test_the_settings_choose_the_model_and_what_else_may_be_named(
    named: Any, also: tuple[str, ...], asked: str
) -> None:
    assert sent({**HELLO, "model": named}, also=also).body["model"] == asked


@pytest.mark.parametrize(
    ("dialect", "body", "options", "usage_wanted"),
    [
        (CHAT, {"stream": True}, {"stream": True, "stream_options": {"include_usage": True}}, False),
        (CHAT, {"stream": True, "stream_options": {"include_usage": True, "x": 1}},
         {"stream": True, "stream_options": {"include_usage": True, "x": 1}}, True),
        (CHAT, {"stream": True, "stream_options": {"include_usage": "yes"}},
         {"stream": True, "stream_options": {"include_usage": True}}, False),
        (CHAT, {"stream": True, "stream_options": 3},
         {"stream": True, "stream_options": {"include_usage": True}}, False),
        (CHAT, {"stream": False, "stream_options": {"include_usage": True}}, {}, True),
        (CHAT, {}, {}, False),
        (RESPONSES, {"stream": True}, {"stream": True}, False),
        (MESSAGES, {"stream": False}, {"stream": False}, False),
    ],
)  # fmt: skip
def test_the_usage_of_a_stream_is_always_asked_for_where_the_wire_has_it(
    dialect: Dialect, body: dict[str, Any], options: dict[str, Any], usage_wanted: bool
) -> None:
    call = sent({**HELLO, **body}, dialect=dialect)
    assert call.body == {**HELLO, "model": "m", **options}
    assert (call.usage_wanted, call.dialect) == (usage_wanted, dialect)


def test_what_a_provider_does_not_take_is_dropped_and_what_leads_elsewhere_too() -> None:
    body = {**HELLO, "temperature": 1, "seed": 2, "api_base": "http://elsewhere.invalid"}
    assert sent(body, drop=("temperature", "top_p")).body == {**HELLO, "model": "m", "seed": 2}


@pytest.mark.parametrize(("kind", "headers"), [("openai", {}), ("script", {"x-dayjob-trial": "t.1"})])
def test_only_a_scripted_model_learns_which_trial_asks(kind: Any, headers: dict[str, str]) -> None:
    assert sent(HELLO, kind=kind).headers == {"openai-beta": "b", **headers}


# -- what is counted and told ------------------------------------------------------------------------------------

PRICES = Prices("2026-11-01", {"m": Price(10.0, 20.0)})


def streamed(*events: bytes, tokens: Tokens | None) -> Answering:
    async def told_later() -> AsyncIterator[bytes]:
        for event in events:
            yield event

    async def answer() -> Answer:
        return Answer(200, "text/event-stream", events=told_later(), tokens=tokens)

    return answer


async def untold() -> Answer:
    return Answer(200, "application/json", b"x" * 41)


@pytest.mark.parametrize("text", ["Hello", "Grüße"])
def test_what_nobody_told_is_estimated_for_the_run_and_unknown_to_the_trial(text: str) -> None:
    body = {"messages": [{"role": "user", "content": text}]}

    async def main() -> tuple[Gateway, Any]:
        door, _ = gateway(untold, prices=PRICES)
        one = door.admit("t.1", "examinee")
        await door.ask(one, CHAT, body, {})
        return door, one

    door, one = asyncio.run(main())
    assert (one.usage.unmetered, one.usage.tokens, one.usage.cost_usd) == (1, 0, None)
    asked = len(json.dumps({**body, "model": "m"}, ensure_ascii=False)) // 4
    run = door.turns.usage  # type: ignore[attr-defined]  # a desk
    assert (run.calls, run.tokens) == (1, asked + 10)
    assert run.cost_usd == pytest.approx((asked * 10 + 10 * 20) / 1e6)


def test_what_was_told_is_counted_for_the_trial_and_the_run() -> None:
    async def main() -> tuple[Gateway, Any]:
        door, _ = gateway(told, prices=PRICES)
        one = door.admit("t.1", "examinee")
        await door.ask(one, CHAT, HELLO, {})
        return door, one

    door, one = asyncio.run(main())
    cost = (60 * 10 + 40 * 20) / 1e6
    assert (one.usage.calls, one.usage.tokens, one.usage.cost_usd) == (1, 100, pytest.approx(cost))
    run = door.turns.usage  # type: ignore[attr-defined]  # a desk
    assert (run.calls, run.tokens, run.cost_usd) == (1, 100, pytest.approx(cost))


def test_a_model_without_a_price_costs_the_run_nothing_that_is_known() -> None:
    async def main() -> Gateway:
        door, _ = gateway(told, prices=Prices("2026-11-01", {}))
        await door.ask(door.admit("t.1", "examinee"), CHAT, HELLO, {})
        return door

    run = asyncio.run(main()).turns.usage  # type: ignore[attr-defined]  # a desk
    assert (run.tokens, run.cost_usd) == (100, 0.0)


def log_of(answer: Answering, folder: Path, *, role: Role = "npc", **more: Any) -> dict[str, Any]:
    async def main() -> None:
        door, _ = gateway(answer, prices=PRICES, **more)
        one = door.admit("t.1", role, log=CallLog(folder / "calls.jsonl"))
        try:
            found = await door.ask(one, CHAT, {**HELLO, "model": "wished", "stream": True}, {})
            if found.events is not None:
                async for _ in found.events:
                    pass
        except ModelFault:
            pass

    asyncio.run(main())
    (line,) = (folder / "calls.jsonl").read_text("utf-8").splitlines()
    facts: dict[str, Any] = json.loads(line)
    return facts


def test_a_call_is_written_down_as_it_was_asked_and_answered(tmp_path: Path) -> None:
    facts = log_of(streamed(b"data: 1\n\n", b"data: 2\n\n", tokens=Tokens(60, 40)), tmp_path)
    assert 0 <= facts.pop("seconds") < 30
    assert facts.pop("time")
    assert facts == {
        "trial": "t.1",
        "role": "npc",
        "dialect": "chat",
        "asked_model": "wished",
        "model": "m",
        "status": 200,
        "attempts": 1,
        "tokens": {"prompt": 60, "completion": 40, "cached": 0, "cache_writes": 0},
        "cost_usd": pytest.approx(0.0014),
        "fault": None,
        "request": {
            "messages": HELLO["messages"],
            "messages_before": 0,
            "model": "m",
            "stream": True,
            "stream_options": {"include_usage": True},
        },
        "answer": "data: 1\n\ndata: 2\n\n",
    }


def test_a_fault_is_written_down_with_its_label(tmp_path: Path) -> None:
    async def failing() -> Answer:
        raise ModelFault(Label.LATE, "Too late.")

    facts = log_of(failing, tmp_path)
    assert (facts["fault"], facts["status"]) == ({"label": "late", "sentence": "Too late."}, None)
    assert (facts["answer"], facts["cost_usd"], facts["tokens"]) == ("", None, None)


# -- faults that a request may have brought about ----------------------------------------------------------------

DOUBTFUL = (Label.PROVIDER_DOWN, Label.LATE, Label.MALFORMED, Label.REFUSED)


def failing(*labels: Label) -> tuple[Answering, list[Label]]:
    left = list(labels)

    async def answer() -> Answer:
        if left:
            label = left.pop(0)
            raise ModelFault(label, f"It was {label}.")
        return await said()

    return answer, left


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("others", [False, True])
@pytest.mark.parametrize("label", [*DOUBTFUL, Label.CLOSED, Label.GATEWAY_FAILED])
def test_a_request_that_fails_alone_is_an_examinees_own(role: Role, others: bool, label: Label) -> None:
    async def main() -> tuple[Label, list[int | None], list[str], list[Label]]:
        answer, _ = failing(label, label)
        door, provided = gateway(answer, answers_others=others)
        one = door.admit("t.1", role)
        with pytest.raises(ModelFault) as fault:
            await door.ask(one, CHAT, HELLO, {})
        retries = [call.retries for call in provided.calls]
        return fault.value.label, retries, provided.probed, [noted.label for noted in one.faults]

    probes = role == "examinee" and label in DOUBTFUL
    own = probes and others
    raised = Label.REQUEST_FAILED if own else label
    assert asyncio.run(main()) == (raised, [None, 0] if own else [None], ["m"] if probes else [], [raised])


def test_the_sentence_of_a_request_that_fails_alone_says_so() -> None:
    async def main() -> str:
        answer, _ = failing(Label.REFUSED, Label.MALFORMED)
        door, _ = gateway(answer, answers_others=True)
        with pytest.raises(ModelFault) as fault:
            await door.ask(door.admit("t.1", "examinee"), CHAT, HELLO, {})
        return fault.value.sentence

    assert asyncio.run(main()) == "It was refused. It answers other requests, so this is about what was asked."


def test_a_provider_that_has_just_come_back_answers_after_all() -> None:
    async def main() -> tuple[int, int]:
        answer, _ = failing(Label.PROVIDER_DOWN)
        door, _ = gateway(answer, answers_others=True)
        one = door.admit("t.1", "examinee")
        return (await door.ask(one, CHAT, HELLO, {})).status, len(one.faults)

    assert asyncio.run(main()) == (200, 0)


def test_another_fault_of_the_second_try_is_what_it_is() -> None:
    async def main() -> Label:
        answer, _ = failing(Label.PROVIDER_DOWN, Label.CLOSED)
        door, _ = gateway(answer, answers_others=True)
        with pytest.raises(ModelFault) as fault:
            await door.ask(door.admit("t.1", "examinee"), CHAT, HELLO, {})
        return fault.value.label

    assert asyncio.run(main()) is Label.CLOSED


# -- a whole completion ------------------------------------------------------------------------------------------

WISHES = ("temperature", "seed", "response_format", "max_tokens")


def refusing(*sentences: str, status: int = 400) -> Answering:
    left = list(sentences)

    async def answer() -> Answer:
        if left:
            return Answer(status, "application/json", left.pop(0).encode(), tokens=Tokens())
        return await said()

    return answer


@pytest.mark.parametrize("wish", WISHES)
def test_a_wish_that_a_model_does_not_take_is_left_out_from_then_on(wish: str) -> None:
    async def main() -> list[set[str]]:
        door, provided = gateway(refusing(f"Unsupported: '{wish}'"))
        one = door.admit("t.1", "judge")
        for _ in range(2):
            await one.complete({**HELLO, **dict.fromkeys(WISHES, 1)})
        assert one.faults == []
        return [set(WISHES) & call.body.keys() for call in provided.calls]

    assert asyncio.run(main()) == [set(WISHES), set(WISHES) - {wish}, set(WISHES) - {wish}]


@pytest.mark.parametrize("role", ROLES)
def test_what_a_provider_refuses_otherwise_is_a_fault_and_an_examinees_own_is_its_own(role: Role) -> None:
    async def main() -> tuple[Label, str, list[bool]]:
        door, _ = gateway(refusing("n" * 600 + " temperature", status=422))
        one = door.admit("t.1", role)
        with pytest.raises(ModelFault) as fault:
            await one.complete(HELLO)
        return fault.value.label, fault.value.sentence, [noted.spoils for noted in one.faults]

    label, sentence, spoils = asyncio.run(main())
    assert label is (Label.REQUEST_FAILED if role == "examinee" else Label.REFUSED)
    assert sentence == f"The provider refused the request with 422: {'n' * 500}"
    assert spoils == [role != "examinee"]


def test_a_completion_is_never_streamed() -> None:
    async def main() -> tuple[Any, Any]:
        door, provided = gateway(said)
        found = await door.admit("t.1", "npc").complete({**HELLO, "stream": True})
        return found, provided.calls[0].body

    found, body = asyncio.run(main())
    assert found == json.loads(SAID)
    assert "stream" not in body


# -- passes ------------------------------------------------------------------------------------------------------


def test_what_a_process_in_the_sandbox_needs_is_in_its_environment() -> None:
    door, _ = gateway(told)
    one = door.admit("t.1", "examinee")
    token = one.token.reveal()
    assert token.startswith("dj-examinee-")
    assert len(token) >= 40
    assert one.environment("http://llm.test:4000") == {
        "OPENAI_BASE_URL": "http://llm.test:4000/v1",
        "OPENAI_API_BASE": "http://llm.test:4000/v1",
        "OPENAI_API_KEY": token,
        "ANTHROPIC_BASE_URL": "http://llm.test:4000",
        "ANTHROPIC_API_KEY": token,
        "LITELLM_BASE_URL": "http://llm.test:4000/v1",
        "LITELLM_API_KEY": token,
        "LITELLM_MODEL": "m",
    }
    assert Gateway(LlmSettings()).admit("t.1", "npc").environment("http://x")["LITELLM_MODEL"] == ""


def test_a_pass_and_its_words_are_in_no_log() -> None:
    door, _ = gateway(told)
    token = door.admit("t.1", "examinee").token.reveal()
    assert door.scrubber.text(f"it said {token}") == "it said ***"


@pytest.mark.parametrize("role", ROLES)
def test_a_role_without_a_model_is_told_how_to_name_one(role: Role) -> None:
    async def main() -> tuple[str, list[Label], int]:
        door = Gateway(LlmSettings())
        one = door.admit("t.1", role)
        with pytest.raises(ModelFault) as fault:
            await door.ask(one, CHAT, HELLO, {})
        return fault.value.sentence, [noted.label for noted in one.faults], one.usage.calls

    sentence, labels, calls = asyncio.run(main())
    assert sentence == (
        f"No model is configured for {role}. Name one with a flag, DAYJOB_{role.upper()}_MODEL, or "
        f"[llm.roles.{role}] in dayjob.toml."
    )
    assert (labels, calls) == ([Label.UNCONFIGURED], 0)


@pytest.mark.parametrize("calls", [1, 2])
def test_the_runs_budget_stops_every_role_and_is_told_as_the_runs(calls: int) -> None:
    async def main() -> list[Label]:
        door, _ = gateway(told, run_budget=Budget(calls=calls))
        for _ in range(calls):
            await door.ask(door.admit("t.1", "judge"), CHAT, HELLO, {})
        labels = []
        for role in ROLES:
            with pytest.raises(ModelFault) as fault:
                await door.ask(door.admit("t.2", role), CHAT, HELLO, {})
            labels.append(fault.value.label)
        return labels

    assert asyncio.run(main()) == [Label.RUN_BUDGET_SPENT] * 3


@pytest.mark.parametrize(("role", "known"), [("npc", True), ("judge", False)])
def test_on_replay_a_role_has_a_model_if_the_cassette_knows_it(role: Role, known: bool, tmp_path: Path) -> None:
    (tmp_path / "t.1" / "npc").mkdir(parents=True)
    (tmp_path / "t.1" / "npc" / "k.json").write_text("{}")
    door = Gateway(LlmSettings(replay=tmp_path))
    found = door.model(role)
    assert (found.shown if found else None) == ("cassette/replayed" if known else None)
    assert Gateway(LlmSettings(), cassette=Cassette(tmp_path, "record")).model("npc") is None


def test_settings_record_or_replay_with_what_may_differ(tmp_path: Path) -> None:
    recorded = Gateway(LlmSettings(record=tmp_path, volatile=("build-[0-9]+",))).cassette
    replayed = Gateway(LlmSettings(replay=tmp_path, volatile=("build-[0-9]+",))).cassette
    assert recorded is not None
    assert replayed is not None
    assert (recorded.mode, replayed.mode) == ("record", "replay")
    keys = {one.key("chat", {"a": text}) for one in (recorded, replayed) for text in ("build-1", "build-2")}
    assert len(keys) == 1
    assert Gateway(LlmSettings()).cassette is None


# -- is it there? ------------------------------------------------------------------------------------------------


def test_asking_whether_a_model_is_there_leaves_no_fault() -> None:
    async def main() -> None:
        answer, _ = failing(Label.REFUSED)
        door, provided = gateway(answer)
        one = door.admit("t.1", "judge")
        one.note(ModelFault(Label.LATE, "Before."))
        down, up = await ask_once(one), await ask_once(one)
        assert (down.ready, down.label, down.sentence, down.model) == (False, "refused", "It was refused.", "p/m")
        assert (up.ready, up.label, up.sentence, up.role) == (True, "", "p/m answers.", "judge")
        assert [noted.label for noted in one.faults] == [Label.LATE]
        question = [{"role": "user", "content": "Reply with the single word: ready"}]
        assert [call.body["messages"] for call in provided.calls] == [question] * 2
        facts = up.as_dict()
        assert facts.pop("seconds") == round(up.seconds, 3)
        assert facts == {"role": "judge", "model": "p/m", "ready": True, "label": "", "sentence": "p/m answers."}

    asyncio.run(main())


def test_a_script_is_a_model_of_its_own(tmp_path: Path) -> None:
    found = script_model(tmp_path / "model.yml", retries=2)
    assert (found.model, found.shown, found.provider.kind) == ("scripted", f"script:{tmp_path}/model.yml", "script")
    assert (found.provider.name, found.provider.retries) == (f"script:{tmp_path}/model.yml", 2)
