"""docs/colleagues.md, executed: its sheets are played, its settings read, its programs run."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from dayjob.company.world import Snapshot
from dayjob.company.world.model import load_world
from dayjob.company.world.snapshot import check_world
from dayjob.grading import place
from dayjob.http.server import Server, bind
from dayjob.llm.gateway import Gateway
from dayjob.llm.script_file import parse_script
from dayjob.llm.settings import LlmSettings, load_settings, script_model
from dayjob.npc.cast import Cast
from dayjob.npc.persona import Persona
from dayjob.task.reading import parse_plain_yaml
from dayjob.task.rules import Rule
from dayjob.task.scenario import problems_in
from dayjob.task.schema import schema_error
from dayjob.trial.judged import judged_row
from tests.company.serving import WORLDS
from tests.llm.gateways import open_gateway, until
from tests.npc.casting import Stage, on_stage, run, scene

PAGE = Path(__file__).parents[2] / "docs" / "colleagues.md"
TEXT = PAGE.read_text("utf-8")
_LINE = re.compile(r"(?P<who>[\w.]+)(?: -> (?P<to>\S+?)| in (?P<place>#\w+))?: (?P<text>.*)")


@dataclass
class Block:
    """A fenced example and the headline it stands under."""

    language: str
    text: str
    title: str


def blocks() -> Iterator[Block]:
    title = ""
    for found in re.finditer(r"^## (?P<title>[^\n]*)$|^```(?P<language>\w+)\n(?P<text>.*?)^```$", TEXT, re.M | re.S):
        if found["title"]:
            title = found["title"]
        else:
            yield Block(found["language"], found["text"], title)


def of(language: str) -> list[Block]:
    return [one for one in blocks() if one.language == language]


@dataclass
class Play:
    """A sheet or scenario of the page with the conversation that follows it, and the model if there is one."""

    title: str
    scenarios: dict[str, Any]
    file: str
    lines: list[re.Match[str]] = field(default_factory=list)
    model: Any = None


def plays() -> list[Play]:
    found: list[Play] = []
    model = None
    for one in blocks():
        if one.language == "yaml" and one.text.startswith("# model.yml"):
            model = yaml.safe_load(one.text)
        elif one.language == "yaml" and one.text.startswith("# colleagues.yml"):
            sheet = parse_plain_yaml(one.text, "colleagues.yml", Rule.SCENARIOS)
            found.append(Play(one.title, sheet, "colleagues.yml"))
        elif one.language == "json":
            found.append(Play(one.title, json.loads(one.text), "scenarios.json", model=model))
            model = None
        elif one.language == "chat":
            for line in one.text.splitlines():
                match = _LINE.fullmatch(line)
                assert match is not None, line
                found[-1].lines.append(match)
    return found


def test_nothing_on_the_page_is_left_out() -> None:
    assert {one.language for one in blocks()} == {"yaml", "json", "chat", "toml", "python", "sh", "text"}
    assert [one.file for one in plays()].count("scenarios.json") == len(of("json")) == 2
    assert len(plays()) == 15
    assert all(one.lines for one in plays())
    assert TEXT.count("```") == 2 * len(list(blocks()))


@pytest.mark.parametrize("play", plays(), ids=lambda play: f"{play.title}, {play.file}")
def test_a_sheet_is_valid_and_plays_as_shown(larkspur: Snapshot, play: Play, tmp_path: Path) -> None:
    assert schema_error(play.file, play.scenarios) is None
    assert problems_in(play.scenarios) == []

    async def main() -> None:
        async with on_stage(larkspur) as stage:
            if play.model is None:
                async with stage.cast(play.scenarios, everybody=play.file == "colleagues.yml") as cast:
                    await perform(play, stage, cast)
            else:
                async with (
                    open_gateway(play.model["rules"], role="npc") as opened,
                    stage.cast(play.scenarios, access=opened.access) as cast,
                ):
                    await perform(play, stage, cast)

    run(main())


async def perform(play: Play, stage: Stage, cast: Cast) -> None:
    """Say Sam's lines one by one; between them, the colleagues say exactly theirs."""
    heard: list[tuple[str, str, str]] = []

    def hear(topic: str, facts: dict[str, Any]) -> None:
        if topic == "chat.message" and facts["new"] and facts["username"] != "sam.reed":
            place = "" if facts["room_type"] == "d" else f"#{facts['room_name']}"
            heard.append((facts["username"], place, facts["text"]))

    stage.company.listen(hear)
    expected: list[tuple[str, str, str]] = []
    async with stage.examinee() as sam:
        cast.begin()
        for line in play.lines:
            if line["who"] != "sam.reed":
                expected.append((line["who"], line["place"] or "", line["text"]))
                await until(lambda: len(heard) >= len(expected))
                assert heard[: len(expected)] == expected
                continue
            assert await cast.quiet()
            assert heard == expected
            await sam.write(line["to"], line["text"])
            if line["to"].startswith("@"):
                # One who has left decides nothing more; everyone else does, if only to be silent.
                left = any(turn.action == "leave" for turn in cast.evidence.turns)
                if not left:
                    await decided_on(cast, line["text"])
        await asyncio.sleep(0.02)
        assert await cast.quiet()
    assert heard == expected
    assert cast.faults == []


async def decided_on(cast: Cast, text: str) -> None:
    await until(lambda: any(turn.heard and turn.heard[-1].text == text for turn in cast.evidence.turns))


def test_the_person_is_one(tmp_path: Path) -> None:
    (block,) = [one for one in of("yaml") if one.text.startswith("# people/")]
    file = tmp_path / "world" / block.text.splitlines()[0].removeprefix("# ")
    file.parent.mkdir(parents=True)
    file.write_text(block.text, "utf-8")
    assert check_world(WORLDS / "larkspur", tmp_path / "world") == []
    world = load_world(WORLDS / "larkspur", tmp_path / "world")
    persona = Persona.of(next(one for one in world.people if one.username == "wout.maes"))
    assert [(one.id, one.text) for one in persona.facts] == [("gate", "Deliveries arrive at the north gate.")]
    assert persona.voice["unknown"] == ("Not in my lists.",)
    assert persona.about == ("deliveries", "north gate", "pallets")
    assert persona.title == "Warehouse planner"


def test_the_settings_can_be_followed(tmp_path: Path) -> None:
    (block,) = of("toml")
    (tmp_path / "dayjob.toml").write_text(block.text, "utf-8")
    keys = {"OPENAI_API_KEY": "a-key", "ANTHROPIC_API_KEY": "b-key", "LOCAL_LLM_KEY": "c-key"}
    found = load_settings(tmp_path / "dayjob.toml", keys)
    assert {role: one.shown for role, one in found.roles.items()} == {
        "examinee": "openai/gpt-5.2",
        "npc": "local/qwen3-32b",
        "judge": "anthropic/claude-sonnet-5",
    }
    assert found.roles["npc"].provider.key.reveal() == "c-key"
    assert (found.roles["judge"].votes, found.run_budget.usd) == (3, 50)


def test_the_model_s_file_is_a_script() -> None:
    (block,) = [one for one in of("yaml") if one.text.startswith("# model.yml")]
    assert len(parse_script(yaml.safe_load(block.text)).rules) == 5


def test_the_programs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cassette, judge = of("python")
    (judge_file,) = [one for one in of("yaml") if one.text.startswith("# judge.yml")]
    (shown,) = [yaml.safe_load(one.text) for one in of("yaml") if one.text.startswith("# judged")]

    async def main() -> None:
        code = compile(cassette.text, str(PAGE), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        work = eval(code, {})
        assert inspect.isawaitable(work)
        await work
        settings = LlmSettings({"judge": replace(script_model(tmp_path / "judge.yml"), votes=3)})
        async with Gateway(settings) as gateway, Server() as host:
            sock = bind()
            await host.listen(gateway.app(), sock)
            access = gateway.admit("docs.1", "judge")
            place(tmp_path / "utils")
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                judge.text,
                cwd=tmp_path / "utils",
                env=access.environment(f"http://127.0.0.1:{sock.getsockname()[1]}"),
            )
            assert await process.wait() == 0
            assert access.usage.calls == 6
            first, second = (judged_row(one, withheld=False) for one in access.verdicts.values())
            assert [{**first, "votes": sorted(first["votes"], key=lambda vote: vote["verdict"])}] == shown
            assert (second["verdict"], second["agreement"]) == ("no", "3 of 3")

    (tmp_path / "judge.yml").write_text(judge_file.text, "utf-8")
    run(main())


def test_the_evidence_reads_as_shown(larkspur: Snapshot, tmp_path: Path) -> None:
    (command,), (output,) = of("sh"), of("text")
    play = next(one for one in plays() if one.title == "Keeping secrets")

    async def main() -> None:
        async with scene(larkspur, play.scenarios, evidence=tmp_path / "colleagues.jsonl") as (_, cast, sam):
            for text in ("When does the new colleague start?", "Is it amelie ROUX?"):
                await sam.write("@hana.sato", text)
                await decided_on(cast, text)

    run(main())
    environment = {"PATH": os.environ["PATH"]}
    found = subprocess.run(
        ["bash", "-c", command.text], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert [line.rstrip() for line in found.stdout.splitlines()] == output.text.splitlines()
