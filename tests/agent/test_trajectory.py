"""What agents did, as ATIF and as evaluators see it."""

from __future__ import annotations

import pytest

from dayjob.agent import AgentError, Step, ToolCall, Trajectory, make_agent
from dayjob.task import Task
from tests.trial.offices import task

ROOT = {"schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
        "continued_trajectory_ref", "subagent_trajectories", "extra"}  # fmt: skip
STEP = {"step_id", "timestamp", "source", "model_name", "reasoning_effort", "message", "reasoning_content",
        "tool_calls", "observation", "metrics", "is_copied_context", "llm_call_count", "extra"}  # fmt: skip


def trajectory() -> Trajectory:
    found = Trajectory("someone", "2", "a-model", notes="short")
    found.steps += [
        Step("system", "You are an agent."),
        Step("user", "The task says pineapple."),
        Step("agent", "I will look.", [ToolCall("run", {"command": "ls"}, "a.txt"), ToolCall("finish", {})]),
    ]
    return found


def test_a_trajectory_has_only_the_fields_atif_knows() -> None:
    document = trajectory().as_atif("session")
    assert document.keys() <= ROOT
    assert document["schema_version"] == "ATIF-v1.8"
    assert [step["step_id"] for step in document["steps"]] == [1, 2, 3]
    for step in document["steps"]:
        assert step.keys() <= STEP
    last = document["steps"][2]
    assert [call["function_name"] for call in last["tool_calls"]] == ["run", "finish"]
    assert last["observation"]["results"] == [
        {"source_call_id": last["tool_calls"][0]["tool_call_id"], "content": "a.txt"}
    ]


def test_an_evaluator_gets_actions_and_observations_and_not_the_prompt() -> None:
    text = trajectory().for_evaluators()
    assert text == 'I will look.\nrun {"command": "ls"}\na.txt\nfinish {}\n'
    assert "pineapple" not in text


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nobody", "there is no agent 'nobody'"),
        ("mutant:x", "no mutant 'x'"),
        ("json:dumps2", "cannot be imported"),
        ("collections:OrderedDict", "is not an Agent"),
    ],
)
def test_an_agent_that_cannot_be_had_is_said_so(
    tmp_path_factory: pytest.TempPathFactory, name: str, reason: str
) -> None:
    with pytest.raises(AgentError, match=reason):
        make_agent(name, Task.load(task(tmp_path_factory.mktemp("task"))))
