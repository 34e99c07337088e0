"""What can be known to be wrong before the first trial: the agent, the models and their keys, the judge, the world, the
sandbox. Found here it is one sentence; found later it would be the same fault in every trial.

A task that cannot be read is not looked at: it is that task's own `init_error`, and the others go on.
"""

from __future__ import annotations

import ast
import asyncio
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from dayjob.agent import Agent, AgentError, make_agent
from dayjob.company.world.find import UnknownWorld, find_world
from dayjob.company.world.gaps import Lack, lacks_of
from dayjob.company.world.snapshot import default_cache
from dayjob.llm.budget import Budget
from dayjob.llm.script_file import ScriptError, load_script
from dayjob.llm.settings import ROLES, LlmSettings, RoleModel, SettingsError, load_settings
from dayjob.llm.settings import Role as ModelRole
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import SandboxError
from dayjob.task import Task, TaskError
from dayjob.task.model import load_settings as load_task_settings
from dayjob.task.scenario import ScenarioError, read_scenarios
from dayjob.trial.spec import TrialSpec
from dayjob.trial.variants import PrivateVariant, found_folder, make_here

SETTINGS = Path("dayjob.toml")

# The helpers of `common` that ask a model.
JUDGING = frozenset(
    {"judge", "llm_complete", "evaluate_with_llm", "evaluate_chat_history_with_llm", "compare_images_with_llm"}
)
_NEEDS_A_KEY = ("api.openai.com", "api.anthropic.com")


class NotReady(Exception):
    """A run that cannot work; the sentence names the thing, the place and the fix."""


def settings_for(spec: TrialSpec) -> LlmSettings:
    """The models of a trial, as this process would reach them. Raises `SettingsError`."""
    named = (spec.model, spec.npc_model, spec.judge_model)
    flags: dict[ModelRole, str] = {role: name for role, name in zip(ROLES, named, strict=True) if name is not None}
    return load_settings(SETTINGS, os.environ, flags)


def run_budget(specs: Sequence[TrialSpec]) -> Budget:
    """What all trials of a run may spend together."""
    return settings_for(specs[0]).run_budget if specs else Budget()


def check_ready(specs: Iterable[TrialSpec], *, agents: bool = True, here: bool = True) -> None:
    """Raise `NotReady` for the first thing that cannot be.

    `here`: trials run on this machine. `agents`: somebody works; without, only grading is done.
    """
    tasks: dict[str, Task | None] = {}
    known: set[tuple[object, ...]] = set()
    for spec in specs:
        if spec.score_every is not None and spec.sandbox != "embedded":
            raise NotReady(
                f"The {spec.sandbox} sandbox cannot be copied while somebody works in it, so --score-every cannot be "
                "had there; leave it out, or use the embedded sandbox."
            )
        settings = _settings(spec)
        task = tasks[spec.task] if spec.task in tasks else tasks.setdefault(spec.task, _loaded(spec, here))
        if spec.world is not None and ("world", spec.world) not in known:
            known.add(("world", spec.world))
            _check_world(spec.world)
        if here and ("sandbox", spec.sandbox) not in known:
            known.add(("sandbox", spec.sandbox))
            _check_sandbox(spec.sandbox)
        if task is None or (about := (spec.task, spec.agent, spec.model, spec.npc_model, spec.judge_model)) in known:
            continue
        known.add(about)
        if agents:
            _check_agent(spec, task, settings, here)
            _check_colleagues(task, settings)
        _check_judge(task, settings)


def lacking(specs: Iterable[TrialSpec]) -> dict[str, list[Lack]]:
    """By name: the tasks whose world says that it lacks something for them."""
    found: dict[str, list[Lack]] = {}
    for path, world in sorted({(spec.task, spec.world) for spec in specs}, key=str):
        try:
            folder = find_world(world or load_task_settings(Path(path)).world)
        except (TaskError, UnknownWorld):
            continue  # the trial's own init_error
        name = Path(path).resolve().name
        if lacks := lacks_of(folder, name):
            found[name] = lacks
    return found


def _settings(spec: TrialSpec) -> LlmSettings:
    try:
        settings = settings_for(spec)
        for role, chosen in settings.roles.items():
            if settings.replay is None:
                _check_model(role, chosen)
    except (SettingsError, ScriptError) as error:
        raise NotReady(str(error)) from error
    except OSError as error:
        raise NotReady(f"{error.filename or SETTINGS} cannot be read: {error.strerror}.") from error
    return settings


def _check_model(role: ModelRole, chosen: RoleModel) -> None:
    provider = chosen.provider
    if provider.script is not None:
        load_script(provider.script)
    elif not provider.key.reveal() and provider.key_from:
        raise NotReady(f"The model {chosen.shown} ({role}) needs a key, and {provider.key_from} is empty. Set it.")
    elif not provider.key.reveal() and urlsplit(provider.base_url).hostname in _NEEDS_A_KEY:
        raise NotReady(
            f"The model {chosen.shown} ({role}) needs a key. Name the variable that holds it: key_env under "
            f"[llm.providers.{provider.name}] in {SETTINGS}."
        )


def _loaded(spec: TrialSpec, here: bool) -> Task | None:
    """The task; of a family the first variant that is asked for, which is made if trials run here."""
    try:
        folder = found_folder(spec)
        if folder is None and here:
            (folder,) = make_here([spec])
        return Task.load(folder) if folder is not None else None
    except PrivateVariant as error:
        raise NotReady(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    except SandboxError as error:
        raise NotReady(str(error)) from error
    except TaskError:
        return None


def _check_world(name: str) -> None:
    try:
        find_world(name)
    except UnknownWorld as error:
        raise NotReady(str(error)) from error


def _check_sandbox(name: str) -> None:
    async def opened() -> None:
        async with make_site(name, default_cache()):
            pass

    try:
        asyncio.run(opened())
    except SandboxError as error:
        raise NotReady(f"The {name} sandbox cannot be used: {error}") from error


def _check_agent(spec: TrialSpec, task: Task, settings: LlmSettings, here: bool) -> None:
    try:
        agent: Agent = make_agent(spec.agent, task)
        if here:
            agent.check()
    except AgentError as error:
        raise NotReady(str(error)) from error
    if agent.needs_model and "examinee" not in settings.roles and settings.replay is None:
        raise NotReady(f"The agent {agent.name} needs a model, and none is named. Name one with -m PROVIDER/MODEL.")


def _check_colleagues(task: Task, settings: LlmSettings) -> None:
    if not task.scenarios or "npc" in settings.roles or settings.replay is not None:
        return
    try:
        found = read_scenarios(task.scenarios)
    except ScenarioError:
        return  # the task's own fault, told where it is set up
    for name, scenario in found.items():
        if scenario.mind == "llm":
            raise NotReady(f"{task.name}: {name} needs a model, and none is named for colleagues. Add --npc-model.")


def _check_judge(task: Task, settings: LlmSettings) -> None:
    if "judge" in settings.roles or settings.replay is not None:
        return
    if (helper := asks_a_judge((task.path / "evaluator.py").read_text("utf-8", "replace"))) is not None:
        raise NotReady(
            f"{task.name}: its evaluator asks a judge ({helper}), and no model is named for it. Add --judge-model, "
            f"DAYJOB_JUDGE_MODEL, or [llm.roles.judge] in {SETTINGS}."
        )


def asks_a_judge(evaluator: str) -> str | None:
    """The first helper that asks a model which an evaluator calls and does not define itself."""
    try:
        tree = ast.parse(evaluator)
    except (SyntaxError, ValueError, RecursionError):
        return None  # the task's own fault, told where it is graded
    nodes = list(ast.walk(tree))
    own = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func
            name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
            if name in JUDGING and name not in own:
                return str(name)
    return None
