"""The worker's loop: ask the model, do what it asks for, tell it, until it is done.

It thinks on the host, through the gateway, and acts in the sandbox. Every turn says how much time, and how much of the
budget, is left.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.tools.hands import FINISH, Hands
from dayjob.agent.tools.tool import Tool, ToolError
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.agent.worker.browser import INSTALL, MEDIA_TYPE, Browser, browser_tool, find_browser, has_driver
from dayjob.agent.worker.context import Message, fitting, picture_message, room
from dayjob.sandbox.sandbox import Sandbox

SYSTEM = """\
You are an employee of a small software company and work on a Linux computer of your own, alone: nobody reads what you \
write here except through the tools. The task names the company's services and the account you have there; each has \
pages for a browser and an HTTP API. Your working folder is /workspace.

Work in small steps, look at what each one did, and check your result before you call finish. Do only what the task \
asks for, and leave everything else as it is. Colleagues answer in chat; give them a moment."""

_SILENT_TURNS = 3


class Worker(Agent):
    """Shell, files, HTTP, a browser where there is one, finish."""

    name = "worker"
    version = "3"
    needs_model = True

    def __init__(self) -> None:
        self.install = (INSTALL,) if has_driver() else ()

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        from dayjob.llm.faults import Label, ModelFault  # late: the other agents need no model

        access = assignment.access
        if access is None:
            raise AgentError("the worker needs a model; name one with -m")
        trajectory.model = assignment.model
        model = access.model
        sees = model is None or model.pictures
        chromium = await find_browser(sandbox)
        clock = _Clock(assignment)
        messages: list[Message] = [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": f"{assignment.instruction}\n\n{clock.left()}"},
        ]
        trajectory.steps += [Step("system", SYSTEM), Step("user", str(messages[1]["content"]))]
        limit = room(model.window if model else None)
        silent = 0
        async with Browser(sandbox, chromium or "") as browser:
            offered = _offered(sandbox, browser if chromium else None, sees)
            tools = trajectory.tools = [tool.function() for tool in offered]
            hands = _Use({one.name: one for one in offered}, browser, sees, trajectory, messages, clock)
            while silent < _SILENT_TURNS:
                try:
                    answer = await access.complete({"messages": fitting(messages, limit), "tools": tools})
                    said, calls = read_answer(answer)
                except ModelFault as fault:
                    # The gateway has noted it, and the trial decides what it means for the outcome.
                    trajectory.notes = trajectory.stopped = fault.sentence
                    return
                except ValueError as error:
                    strange = ModelFault(Label.MALFORMED, f"The model's answer is not one: {error}.")
                    access.note(strange)
                    trajectory.notes = trajectory.stopped = strange.sentence
                    return
                step = Step("agent", said, metrics=_metrics(answer))
                trajectory.steps.append(step)
                messages.append(_own(said, calls))
                silent = 0 if calls else silent + 1
                if not calls:
                    messages.append({"role": "user", "content": f"Use a tool, or call finish. {clock.left()}"})
                    trajectory.steps.append(Step("user", str(messages[-1]["content"])))
                if await hands.turn(calls, step):
                    trajectory.stopped = "the model called finish"
                    return
        trajectory.notes = trajectory.stopped = f"the model used no tool {_SILENT_TURNS} times in a row"


def _offered(sandbox: Sandbox, browser: Browser | None, sees: bool) -> list[Tool]:
    hands = Hands(sandbox)
    found = [hands.shell(), hands.write_file(), hands.replace_in_file(), hands.http(), hands.wait()]
    return [*found, *([browser_tool(browser, sees)] if browser is not None else []), FINISH]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A tool call as the model wrote it."""

    id: str
    name: str
    arguments: str

    def parsed(self) -> tuple[dict[str, Any], str]:
        """The arguments, and what is wrong with them."""
        try:
            found = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError) as error:
            return {}, f"the arguments are not JSON: {error}"
        return (found, "") if isinstance(found, dict) else ({}, "the arguments must be a JSON object")


def read_answer(answer: dict[str, Any]) -> tuple[str, list[Wanted]]:
    """What the model said and the tools it wants; `ValueError` says what is not as any provider's answer is."""
    message = answer["choices"][0]["message"]
    content = message.get("content")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if content is not None and not isinstance(content, str):
        raise ValueError(f"its content is {type(content).__name__}, not text")
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ValueError(f"its tool calls are {type(calls).__name__}, not a list")
    wanted = []
    for number, one in enumerate(calls):
        function = one.get("function") if isinstance(one, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise ValueError(f"its tool call {number + 1} names no function")
        given = function.get("arguments")
        # Some servers send the arguments as an object instead of its text.
        text = given if isinstance(given, str) else json.dumps(given or {})
        wanted.append(Wanted(str(one.get("id") or f"call_{number}"), function["name"], text))
    return content or "", wanted


@dataclass(frozen=True, slots=True)
class _Use:
    """How the tools of a turn are used, and where what they answered goes."""

    tools: dict[str, Tool]
    browser: Browser
    sees: bool
    trajectory: Trajectory
    messages: list[Message]
    clock: _Clock

    async def turn(self, calls: list[Wanted], step: Step) -> bool:
        """Use the tools of one turn, in order; True when the work is finished."""
        pictures: list[Message] = []
        for one in calls:
            arguments, problem = one.parsed()
            call = ToolCall(one.name, arguments if not problem else {"text": one.arguments})
            step.tool_calls.append(call)
            if call.name == "finish" and not problem:
                return True
            if problem:
                call.observation = problem
            elif call.name == "browser" and call.name in self.tools:
                pictures += await self._browse(call)
            else:
                call.observation = await self._told(call)
            told = f"{call.observation}\n\n{self.clock.left()}"
            self.messages.append({"role": "tool", "tool_call_id": one.id, "content": told})
        # Every call must be answered before anybody else speaks.
        self.messages.extend(pictures)
        return False

    async def _told(self, call: ToolCall) -> str:
        """What a tool answers; a mistake in a call is told, never raised."""
        if (tool := self.tools.get(call.name)) is None:
            return f"there is no tool '{call.name}'"
        try:
            return await tool.call(call.arguments)
        except ToolError as error:
            return str(error)

    async def _browse(self, call: ToolCall) -> list[Message]:
        """Use the browser; returns what is to be seen rather than read."""
        seen = await self.browser.use(call.arguments)
        call.observation = seen.text
        if seen.picture is None:
            return []
        call.picture = self.trajectory.keep_picture(seen.picture, MEDIA_TYPE)
        return [picture_message(seen.encoded, MEDIA_TYPE)] if self.sees else []


class _Clock:
    """What is left of the time and of the budget, in a sentence."""

    def __init__(self, assignment: Assignment) -> None:
        end = time.monotonic() + assignment.seconds
        self._left = assignment.left or (lambda: end - time.monotonic())
        self._access = assignment.access

    def left(self) -> str:
        parts = [f"{max(0, self._left()):.0f} s"]
        if (access := self._access) is not None:
            budget, used = access.budget, access.usage
            if budget.calls is not None:
                parts.append(f"{max(0, budget.calls - used.calls)} model calls")
            if budget.tokens is not None:
                parts.append(f"{max(0, budget.tokens - used.tokens)} tokens")
            if budget.usd is not None and used.cost_usd is not None:
                parts.append(f"${max(0.0, budget.usd - used.cost_usd):.2f}")
        return f"[left: {', '.join(parts)}]"


def _own(said: str, calls: list[Wanted]) -> dict[str, Any]:
    """The model's message as it goes back to it: nothing a provider added, and nothing that one would refuse."""
    message: dict[str, Any] = {"role": "assistant", "content": said}
    if calls:
        message["tool_calls"] = [
            {
                "id": one.id,
                "type": "function",
                "function": {"name": one.name, "arguments": "{}" if one.parsed()[1] else one.arguments or "{}"},
            }
            for one in calls
        ]
    return message


def _metrics(answer: dict[str, Any]) -> dict[str, Any]:
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return {}
    known = {key: usage.get(key) for key in ("prompt_tokens", "completion_tokens")}
    return {key: value for key, value in known.items() if isinstance(value, int)}
