"""What well-known agents write about themselves, as steps; samples in the shape each of them documents."""

from __future__ import annotations

import json

import pytest

from dayjob.agent import transcript_readers
from dayjob.agent.command import words_of
from dayjob.agent.presets import PRESETS


def lines(*events: object) -> str:
    return "\n".join(["Some banner.", *(json.dumps(event) for event in events), '{"cut off'])


def test_claude_codes_stream_becomes_messages_calls_and_results() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "a.txt"}]}
    found = transcript_readers.claude_code(
        lines(
            {"type": "system", "subtype": "init"},
            {"type": "assistant", "message": {"content": [{"type": "text", "text": "I look."}, use]}},
            {"type": "user", "message": {"content": [result]}},
            {"type": "assistant", "message": {"content": [{"type": "text", "text": "Done."}]}},
            {"type": "result", "subtype": "success", "result": "Done."},
        )
    )
    assert [(step.source, step.message) for step in found] == [("agent", "I look."), ("agent", "Done.")]
    [call] = found[0].tool_calls
    assert (call.name, call.arguments, call.observation) == ("Bash", {"command": "ls"}, "a.txt")


def test_codexs_items_become_steps_when_they_are_completed() -> None:
    command = {"id": "1", "type": "command_execution", "command": "ls", "aggregated_output": "a.txt", "exit_code": 0}
    found = transcript_readers.codex(
        lines(
            {"type": "thread.started", "thread_id": "x"},
            {"type": "item.started", "item": command},
            {"type": "item.completed", "item": command},
            {"type": "item.completed", "item": {"id": "2", "type": "agent_message", "text": "Done."}},
            {"type": "turn.completed", "usage": {}},
        )
    )
    assert len(found) == 2
    assert found[0].tool_calls[0].observation == "a.txt"
    assert found[1].message == "Done."


def test_openhands_events_become_steps_with_the_times_they_happened() -> None:
    """Indented JSON between lines for people; the last event was cut off when its time was up."""
    call = {"arguments": '{"command": "ls", "security_risk": "LOW"}', "id": "c1", "name": "terminal"}
    text = [{"type": "text", "text": "I look."}]
    events = [
        {"kind": "MessageEvent", "source": "user", "llm_message": {"content": [{"type": "text", "text": "Tidy up."}]}},
        {
            "kind": "ActionEvent",
            "thought": text,
            "tool_name": "terminal",
            "tool_call": call,
            "tool_call_id": "c1",
            "timestamp": "2026-11-15T11:04:43.908850",
        },
        {"kind": "ObservationEvent", "tool_call_id": "c1", "observation": {"content": [{"text": "a.txt"}]}},
        {"kind": "ActionEvent", "tool_name": "fly", "tool_call": {"arguments": "up"}, "tool_call_id": "c2"},
        {"kind": "AgentErrorEvent", "tool_call_id": "c2", "error": "there is no such tool"},
        {"kind": "SomethingOfNextYear"},
        {"kind": "MessageEvent", "source": "agent", "llm_message": {"content": [{"type": "text", "text": "Done."}]}},
    ]
    printed = "".join(f"Agent is working\n--JSON Event--\n{json.dumps(event, indent=2)}\n" for event in events)
    found = transcript_readers.openhands(f'Initialising\n{printed}--JSON Event--\n{{\n  "kind": "Act')
    said = [(step.source, step.message) for step in found]
    assert said == [("user", "Tidy up."), ("agent", "I look."), ("agent", ""), ("agent", "Done.")]
    [first] = found[1].tool_calls
    assert (first.name, first.arguments["command"], first.observation) == ("terminal", "ls", "a.txt")
    assert found[2].tool_calls[0].observation == "there is no such tool"
    assert found[1].timestamp == "2026-11-15T11:04:43.908850+00:00"


@pytest.mark.parametrize(
    "read",
    [
        transcript_readers.claude_code,
        transcript_readers.codex,
        transcript_readers.mini_swe_agent,
        transcript_readers.openhands,
    ],
)
def test_what_is_no_record_is_refused(read: object) -> None:
    for text in ("", "Segmentation fault", "[]"):
        with pytest.raises(ValueError, match=r"\w"):
            read(text)  # type: ignore[operator]  # functions of the same shape


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_pins_what_it_installs_and_is_told_its_task_and_model(name: str) -> None:
    preset = PRESETS[name]
    assert preset.version in " ".join(preset.install)
    told = " ".join((*words_of(preset.run), *preset.environment.values()))
    assert "{instruction}" in told or "{instruction_file}" in told
    assert "{model}" in told
