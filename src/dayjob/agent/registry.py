"""Agents by name: dayjob's own, any command line, a task's mutants, or a class by its import path (`module:Class`)."""

from __future__ import annotations

import importlib
from pathlib import Path

from dayjob.agent.agent import Agent, AgentError
from dayjob.agent.clicker import Clicker
from dayjob.agent.command import PREFIX, Command
from dayjob.agent.host_command import PREFIX as HOST_PREFIX
from dayjob.agent.host_command import HostCommand
from dayjob.agent.presets import PRESETS
from dayjob.agent.proving import Echo, Nop, Script, Undelivered
from dayjob.agent.searcher import Searcher
from dayjob.agent.worker import Worker
from dayjob.nearest import did_you_mean
from dayjob.task import Task
from dayjob.task.family import VARIANT

NAMES = ("oracle", "nop", "echo", "clicker", "worker", "command:LINE", "host-command:LINE", *PRESETS)


def make_agent(name: str, task: Task) -> Agent:
    """A fresh agent for one trial of one task; `AgentError` says what is missing."""
    match name:
        case "nop":
            return Nop()
        case "echo":
            return Echo()
        case "clicker":
            return Clicker()
        case "searcher":
            return Searcher(task)
        case "human":
            from dayjob.agent.human import Human  # late: it needs a terminal, which not every system has

            return Human()
        case "worker":
            return Worker()
        case "oracle":
            if task.solution is None:
                raise AgentError(f"{task.name} has no solution.py or solution.sh for the oracle to run")
            return Script("oracle", task.solution, _values(task))
        case "undelivered":
            if task.paraphrases is None or task.solution is None:
                raise AgentError(f"{task.name} has no paraphrases.yml, or no solution.py for it")
            return Undelivered(task.solution, task.paraphrases.without, _values(task))
    if (preset := PRESETS.get(name)) is not None:
        return Command(
            preset.run,
            name=name,
            version=preset.version,
            install=preset.install,
            environment=preset.environment,
            reader=preset.reader,
            trajectory=preset.trajectory,
        )
    if name.startswith(PREFIX):
        return Command(name.removeprefix(PREFIX))
    if name.startswith(HOST_PREFIX):
        return HostCommand(name.removeprefix(HOST_PREFIX))
    if name.startswith("mutant:"):
        wanted = name.removeprefix("mutant:")
        for mutant in task.mutants:
            if mutant.name == wanted:
                solution = [task.solution] if task.solution is not None else []
                return Script(name, mutant.path, [*solution, *_values(task)])
        near = did_you_mean(wanted, [mutant.name for mutant in task.mutants])
        raise AgentError(f"{task.name} has no mutant '{wanted}'.{near}")
    if ":" in name:
        return _imported(name)
    known = [*NAMES, "human", "searcher", "undelivered"]
    near = did_you_mean(name, known)
    raise AgentError(
        f"there is no agent '{name}'; there are {', '.join(NAMES)}, or your own as package.module:Class.{near}"
    )


def _values(task: Task) -> list[Path]:
    """The values of a variant, which its scripts import as evaluators do."""
    values = task.path / VARIANT
    return [values] if values.is_file() else []


def _imported(name: str) -> Agent:
    module, _, attribute = name.partition(":")
    try:
        agent = getattr(importlib.import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise AgentError(f"the agent '{name}' cannot be imported: {error}") from error
    if not isinstance(agent, Agent):
        raise AgentError(f"'{name}' is not an Agent")
    return agent
