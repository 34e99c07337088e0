"""`dayjob colleagues`: talk to a task's colleagues, and see why they say what they say. Exit 2: nobody to talk to."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dayjob.cli.completion import task_names
from dayjob.cli.folders import fail, task_folders
from dayjob.cli.variants import variant_option

if TYPE_CHECKING:
    from dayjob.npc.rehearsal import Answer, Rehearsal
    from dayjob.task import Task

_HELP = "/to NAME or /to #channel, /state, /facts, /time, /wait 2h, /quit"


@click.command(epilog="Example: dayjob colleagues tasks/finish-jonas-merge-request")
@click.argument("path", metavar="TASK", type=click.Path(path_type=Path), shell_complete=task_names)
@click.option("--to", help="Whom to begin with: a name, or a #channel (default: the first colleague of the task).")
@click.option("--npc-model", help="The colleagues' model: provider/model, or script:FILE; without one, no model.")
@click.option("--minds", help="Two minds side by side, with a comma: script,MODEL.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each line that is written.")
@variant_option
def colleagues(
    path: Path, to: str | None, npc_model: str | None, minds: str | None, as_json: bool, variant: int | None
) -> None:
    """Talk to the colleagues of a task in the terminal. Lines are messages; /to, /state, /facts, /time and /wait help.

    Lines may come from a pipe, one message each. The task's own init scripts are not run.
    """
    import asyncio

    if minds is not None and npc_model is not None:
        raise click.UsageError("--minds names the minds, --npc-model one: say one of them.")
    wanted = _minds(minds) if minds is not None else [npc_model or "script"]
    task = _task(path, variant)
    # Typing is waited for on the loop itself, so Ctrl-C must end it there.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    asyncio.run(_talk(task, wanted, to, as_json))


def _minds(text: str) -> list[str]:
    found = [one.strip() for one in text.split(",")]
    if len(found) != 2 or not all(found):
        raise click.UsageError("--minds takes two with a comma between: script,MODEL.")
    return found


def _task(path: Path, variant: int | None) -> Task:
    """The task at a path; one that has no colleagues, or is none, ends the command."""
    from dayjob.cli.variants import numbers_for
    from dayjob.sandbox.sandbox import SandboxError
    from dayjob.task import Task, TaskError
    from dayjob.trial.spec import TrialSpec
    from dayjob.trial.variants import make_here

    found = task_folders((path,))
    if len(found) != 1:
        fail(f"{path} holds {len(found)} tasks; name one.")
    (path,) = found
    try:
        (number,) = numbers_for([path], variant, None)[path]
        (folder,) = make_here([TrialSpec(str(path.resolve()), "nop", "", variant=number)])
        task = Task.load(folder)
    except (TaskError, SandboxError, OSError) as error:
        fail(str(error))
    if not task.scenarios:
        fail(f"{path.name} has no colleagues: there is no colleagues.yml or scenarios.json in it.")
    return task


async def _talk(task: Task, minds: list[str], to: str | None, as_json: bool) -> None:
    from dayjob.company.world import WorldError, build_snapshot
    from dayjob.company.world.find import UnknownWorld, find_world
    from dayjob.llm.settings import SettingsError
    from dayjob.npc.cast import CastError
    from dayjob.npc.rehearsal import NobodyThere, rehearsal
    from dayjob.task.scenario import ScenarioError, read_scenarios
    from dayjob.task.settings import PUBLISHED

    time = task.settings.time
    try:
        scenarios = read_scenarios(task.scenarios)
        snapshot = build_snapshot(find_world(task.settings.world), task.world_overlay)
        async with AsyncExitStack() as stack:
            sides = []
            for mind in minds:
                access = await _access(stack, mind)
                entered = rehearsal(
                    snapshot,
                    scenarios,
                    access=access,
                    by_hours=time.answers == "hours",
                    everybody=task.settings is not PUBLISHED,
                    look=time.look,
                )
                sides.append(_Side(mind, await stack.enter_async_context(entered)))
            await _Session(sides, as_json).run(to)
    except (ScenarioError, UnknownWorld, WorldError, CastError, SettingsError, NobodyThere) as error:
        fail(str(error))


async def _access(stack: AsyncExitStack, mind: str) -> Any:
    """A way to a model; None for the minds that need none."""
    from dayjob.llm.gateway import Gateway
    from dayjob.trial.readiness import settings_for
    from dayjob.trial.spec import TrialSpec

    if mind == "script":
        return None
    gateway = await stack.enter_async_context(Gateway(settings_for(TrialSpec("", "nop", "", npc_model=mind))))
    return gateway.admit("colleagues", "npc")


@dataclass(frozen=True, slots=True)
class _Side:
    """One mind and its company."""

    mind: str
    at: Rehearsal


@dataclass(slots=True)
class _Session:
    """What is typed, and what is shown for it."""

    sides: list[_Side]
    as_json: bool
    to: str = ""
    faults: dict[str, int] = field(default_factory=dict)

    @property
    def first(self) -> Rehearsal:
        return self.sides[0].at

    async def run(self, to: str | None) -> None:
        self.to = self.first.named(to) if to else self.first.colleagues[0].persona.username
        if sys.stdin.isatty() and not self.as_json:
            there = ", ".join(f"{one.persona.name} ({one.persona.username})" for one in self.first.colleagues)
            click.echo(f"{there}. It is {self.first.now:%a %d %B %Y, %H:%M}. {_HELP}")
        for line in self._lines():
            if line in ("/quit", "/q"):
                return
            await self._take(line)

    def _lines(self) -> Iterator[str]:
        terminal = sys.stdin.isatty()
        while True:
            prompt = f"you -> {self.to}: "
            try:
                line = input(prompt if terminal else "")
            except EOFError:
                return
            if not line.strip():
                continue
            if not terminal and not self.as_json:
                click.echo(f"{prompt}{line}")
            yield line.strip()

    async def _take(self, line: str) -> None:
        from dayjob.npc.rehearsal import NobodyThere

        try:
            if not line.startswith("/"):
                await self._say(line)
                return
            word, _, rest = line.partition(" ")
            done = self._orders().get(word)
            if done is None:
                from dayjob.nearest import did_you_mean

                raise NobodyThere(f"There is no {word}; there are {_HELP}.{did_you_mean(word, self._orders())}")
            await done(rest.strip())
        except NobodyThere as error:
            if not sys.stdin.isatty():
                raise  # from a pipe nobody can put it right
            click.echo(str(error), err=True)

    def _orders(self) -> dict[str, Callable[[str], Any]]:
        return {
            "/to": self._turn_to, "/state": self._state, "/facts": self._facts, "/time": self._time,
            "/wait": self._wait, "/help": self._help, "/quit": self._help,
        }  # fmt: skip

    # -- orders --------------------------------------------------------------------------------------------------

    async def _turn_to(self, rest: str) -> None:
        self.to = self.first.named(rest)

    async def _help(self, rest: str) -> None:
        click.echo(_HELP)

    async def _time(self, rest: str) -> None:
        now = self.first.now
        self._show({"time": now.isoformat()}, [f"It is {now:%a %d %B %Y, %H:%M}."])

    async def _state(self, rest: str) -> None:
        who = self.first.named(rest) if rest else self.to
        for side in self.sides:
            found = side.at.state(who)
            lines = [f"{self._label(side)}{found['colleague']} ({found['mind']})"]
            if not found["sheet"]:
                lines.append("  no sheet: what they know is in their script or briefing")
            else:
                marked = {
                    name: [f"{one}{' ✓' if done else ''}" for one, done in found[name].items()]
                    for name in ("steps", "needs")
                }
                lines += [f"  {name}: {', '.join(one) or 'none'}" for name, one in marked.items()]
                lines += [f"  facts {name}: {', '.join(ids)}" for name, ids in found["facts"].items() if ids]
                lines += [f"  did: {', '.join(found['did'])}"] if found["did"] else []
            self._show({"mind": side.mind, "state": found}, lines)

    async def _facts(self, rest: str) -> None:
        who = self.first.named(rest) if rest else self.to
        for side in self.sides:
            found = side.at.facts(who)
            lines = [f"  {one['id']} [{one['stands']}] {one['text']}" for one in found] or ["  no sheet, no facts"]
            self._show({"mind": side.mind, "facts": found}, [f"{self._label(side)}{who}", *lines])

    async def _wait(self, rest: str) -> None:
        from dayjob.company.waiting import CannotWait
        from dayjob.durations import parse_duration
        from dayjob.npc.rehearsal import NobodyThere

        length = parse_duration(rest)
        if length is None:
            raise NobodyThere(f"'{rest}' is no length of time; write /wait 45m, /wait 2h or /wait 1d.")
        try:
            found = [(side, await side.at.pass_time(length)) for side in self.sides]
        except CannotWait as error:
            raise NobodyThere(str(error)) from error
        self._tell({"wait": rest}, found)

    # -- talk ----------------------------------------------------------------------------------------------------

    async def _say(self, text: str) -> None:
        self._tell({"you": text, "to": self.to}, [(side, await side.at.say(self.to, text)) for side in self.sides])

    def _tell(self, asked: dict[str, Any], found: list[tuple[_Side, list[Answer]]]) -> None:
        for side, answers in found:
            faults = side.at.faults[self.faults.get(side.mind, 0) :]
            self.faults[side.mind] = len(side.at.faults)
            owed = side.at.owed_at
            told = {
                **asked, "mind": side.mind, "time": side.at.now.isoformat(),
                "answers": [asdict(one) for one in answers], "faults": faults,
                "owed_at": owed.isoformat() if owed else None,
            }  # fmt: skip
            lines = [line for one in answers for line in self._answer(side, one)]
            lines += [click.style(f"  ! {one}", fg="red") for one in faults]
            if owed is not None:
                lines.append(_dim(f"  · the next answer comes {owed:%a %H:%M}; it is {side.at.now:%a %H:%M}: /wait"))
            elif not answers:
                nothing = "nothing is new" if "wait" in asked else "nobody took that as meant for them"
                lines.append(_dim(f"  · {self._label(side)}{nothing}"))
            self._show(told, lines)

    def _answer(self, side: _Side, one: Answer) -> Iterator[str]:
        who = next(each.persona.username for each in side.at.colleagues if each.persona.name == one.who)
        where = "" if one.place == "direct messages" else f" in {one.place}"
        for text in one.said or ("",):
            shown = text.replace("\n", "\n    ") if text else _dim("(says nothing)")
            yield f"{self._label(side)}{click.style(who, bold=True)}{where}: {shown}"
        why = [f"{name.replace('_', ' ')} {', '.join(words)}" for name, words in one.why.items()]
        why += [f"did {', '.join(one.did)}"] if one.did else []
        why += [f"kept from being said: {text}" for text in one.withheld]
        why += [f"fault {one.fault}"] if one.fault else []
        if why:
            yield _dim(f"  · {'; '.join(why)}")

    def _label(self, side: _Side) -> str:
        return f"[{side.mind}] " if len(self.sides) > 1 else ""

    def _show(self, facts: dict[str, Any], lines: list[str]) -> None:
        if self.as_json:
            click.echo(json.dumps(facts, ensure_ascii=False))
        else:
            for line in lines:
                click.echo(line)
        sys.stdout.flush()


def _dim(text: str) -> str:
    return click.style(text, dim=True)
