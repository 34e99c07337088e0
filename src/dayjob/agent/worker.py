"""Our own LLM agent, a baseline to read in ten minutes: ask the model, do what it asks for, tell it, until it is done.

It thinks on the host, through the gateway, and acts in the sandbox (see `tools`). The conversation is kept within a
limit by forgetting the oldest tool answers first; every turn says how much time, and how much of the budget, is left.
"""

from __future__ import annotations

import json
import time
from typing import Any

from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.tools import TOOLS, use
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.sandbox.sandbox import Sandbox

SYSTEM = """\
You are an employee of a small software company and work on a Linux computer of your own, alone: nobody reads what you \
write here except through the tools. The task names the company's services and the account you have there; talk to \
them over their HTTP APIs. Your working folder is /workspace.

Work in small steps, look at what each one did, and check your result before you call finish. Do only what the task \
asks for, and leave everything else as it is. Colleagues answer in chat; give them a moment."""

# About 100,000 tokens, which the smallest windows in common use hold beside an answer.
CONTEXT_CHARACTERS = 300_000
_SILENT_TURNS = 3
_FORGOTTEN = "[left out to save space]"


class Worker(Agent):
    """Shell, files, HTTP, finish."""

    name = "worker"

    def __init__(self, context: int = CONTEXT_CHARACTERS) -> None:
        self.context = context

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        from dayjob.llm.faults import ModelFault  # late: the other agents need no model

        access = assignment.access
        if access is None:
            raise AgentError("the worker needs a model; name one with -m")
        trajectory.model = assignment.model
        trajectory.tools = list(TOOLS)
        clock = _Clock(assignment)
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"{assignment.instruction}\n\n{clock.left()}"},
        ]
        trajectory.steps += [Step("system", SYSTEM), Step("user", str(messages[1]["content"]))]
        silent = 0
        while silent < _SILENT_TURNS:
            try:
                answer = await access.complete({"messages": fitting(messages, self.context), "tools": list(TOOLS)})
            except ModelFault as fault:
                # The gateway has noted it, and the trial decides what it means for the outcome.
                trajectory.notes = fault.sentence
                return
            said = answer["choices"][0]["message"]
            step = Step("agent", said.get("content") or "", metrics=_metrics(answer))
            trajectory.steps.append(step)
            calls = said.get("tool_calls") or []
            messages.append(_own(said, calls))
            silent = 0 if calls else silent + 1
            if not calls:
                messages.append({"role": "user", "content": f"Use a tool, or call finish. {clock.left()}"})
                trajectory.steps.append(Step("user", str(messages[-1]["content"])))
            if await self._do(calls, sandbox, step, messages, clock):
                return
        trajectory.notes = f"the model used no tool {_SILENT_TURNS} times in a row"

    async def _do(
        self,
        calls: list[dict[str, Any]],
        sandbox: Sandbox,
        step: Step,
        messages: list[dict[str, Any]],
        clock: _Clock,
    ) -> bool:
        """Use the tools of one turn, in order; True when the work is finished."""
        for one in calls:
            function = one["function"]
            try:
                arguments = json.loads(function["arguments"] or "{}")
                problem = "" if isinstance(arguments, dict) else "the arguments must be a JSON object"
            except ValueError as error:
                arguments, problem = {}, f"the arguments are not JSON: {error}"
            call = ToolCall(function["name"], arguments if not problem else {"text": function["arguments"]})
            step.tool_calls.append(call)
            if call.name == "finish" and not problem:
                return True
            call.observation = problem or await use(sandbox, call.name, arguments)
            told = f"{call.observation}\n\n{clock.left()}"
            messages.append({"role": "tool", "tool_call_id": one["id"], "content": told})
        return False


def fitting(messages: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """The conversation within a number of characters: the oldest tool answers go first, the last turn never."""
    over = sum(len(json.dumps(one, ensure_ascii=False)) for one in messages) - limit
    kept = []
    for place, one in enumerate(messages):
        size = len(str(one.get("content") or ""))
        if over > 0 and one["role"] == "tool" and size > len(_FORGOTTEN) and place < len(messages) - 1:
            over -= size - len(_FORGOTTEN)
            one = {**one, "content": _FORGOTTEN}
        kept.append(one)
    return kept


class _Clock:
    """What is left of the time and of the budget, in a sentence."""

    def __init__(self, assignment: Assignment) -> None:
        self._end = time.monotonic() + assignment.seconds
        self._access = assignment.access

    def left(self) -> str:
        parts = [f"{max(0, self._end - time.monotonic()):.0f} s"]
        if (access := self._access) is not None:
            budget, used = access.budget, access.usage
            if budget.calls is not None:
                parts.append(f"{max(0, budget.calls - used.calls)} model calls")
            if budget.tokens is not None:
                parts.append(f"{max(0, budget.tokens - used.tokens)} tokens")
            if budget.usd is not None and used.cost_usd is not None:
                parts.append(f"${max(0.0, budget.usd - used.cost_usd):.2f}")
        return f"[left: {', '.join(parts)}]"


def _own(said: dict[str, Any], calls: list[dict[str, Any]]) -> dict[str, Any]:
    """The model's message as it goes back to it: nothing a provider added."""
    message: dict[str, Any] = {"role": "assistant", "content": said.get("content") or ""}
    if calls:
        message["tool_calls"] = [
            {"id": one["id"], "type": "function", "function": {key: one["function"][key] for key in _FUNCTION}}
            for one in calls
        ]
    return message


_FUNCTION = ("name", "arguments")


def _metrics(answer: dict[str, Any]) -> dict[str, Any]:
    usage = answer.get("usage") or {}
    known = {key: usage.get(key) for key in ("prompt_tokens", "completion_tokens")}
    return {key: value for key, value in known.items() if isinstance(value, int)}
