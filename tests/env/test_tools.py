"""The typed tools of an environment: a model that has nothing else can do the work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest

from dayjob.env import EnvError, Marks, SyncEnv, ToolInfo
from tests.env.conftest import EXAMPLE, Driver
from tests.trial.offices import task

IN_THE_SANDBOX = ["shell", "read_file", "write_file", "replace_in_file", "http"]
STRANGE: dict[str, Any] = {"string": 7, "integer": "7", "number": True, "object": [], "boolean": 0}


def test_the_example_is_done_with_typed_tools_alone(driver: Driver) -> None:
    solution = (EXAMPLE / "solution.py").read_text("utf-8")
    quiet = "".join(line for line in solution.splitlines(keepends=True) if "@tomas.okafor" not in line)

    async def main() -> tuple[Marks, str]:
        async with driver.env(EXAMPLE, seed=7) as env:
            await env.reset()
            acts: list[tuple[str, dict[str, Any]]] = [
                ("write_file", {"path": "/workspace/a/work.py", "content": quiet.replace("  solve()\n", "  none()\n")}),
                ("replace_in_file", {"path": "/workspace/a/work.py", "old": "  none()\n", "new": "  solve()\n"}),
                ("shell", {"command": "python3 a/work.py && echo done", "seconds": None}),
                ("chat_post", {"room": "@tomas.okafor", "text": "It is in /Operations/over-budget.md"}),
            ]
            for name, arguments in acts:
                used = await env.call(name, arguments)
                assert not used.failed, used.text
                assert used.time.startswith("2026-03-09T09:")
            assert "over-budget.md" in (await env.call("drive_list", {"path": "/Operations"})).text
            assert (await env.call("read_file", {"path": "/workspace/a/work.py"})).text == quiet
            heard = await env.call("wait", {"length": "2h"})
            assert heard.time.startswith("2026-03-09T11:")
            assert env.finished is None
            await env.call("finish", {"summary": "It is reported."})
            assert env.finished == "It is reported."
            with pytest.raises(EnvError, match="the work was finished"):
                await env.call("shell", {"command": "true"})
            return await env.grade(), heard.text

    marks, heard = driver.run(main())
    assert (marks.result, marks.total) == (8, 8)
    assert "Thank you, Sam" in heard


def test_each_service_is_read_and_written_as_who_works_here(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()

            async def use(name: str, /, **arguments: Any) -> str:
                used = await env.call(name, arguments)
                assert not used.failed, used.text
                return used.text

            assert "#launch" in await use("chat_rooms")
            await use("chat_post", room="#launch", text="Good morning.")
            last = json.loads(await use("chat_read", room="#launch", count=1))
            assert (last["from"], last["text"]) == ("sam.reed", "Good morning.")
            project = json.loads((await use("forge_projects")).splitlines()[0])["path_with_namespace"]
            number = int((await use("forge_create_issue", project=project, title="A leak")).split()[-1].rstrip("."))
            assert "A leak" in await use("forge_issue", project=project, number=number)
            board = json.loads((await use("board_projects")).splitlines()[0])["name"]
            await use("board_create_item", project=board, name="Mend the door")
            assert "Mend the door" in await use("board_items", project=board)
            await use("drive_write", path="/note.txt", content="größer")
            await use("drive_move", path="/note.txt", to="/other.txt")
            assert await use("drive_read", path="/other.txt") == "größer"
            page = await use("http", url="http://larkspur.test:3000/api/info")
            assert page.startswith("200 application/json")

    driver.run(main())


def test_arguments_of_another_shape_are_one_clear_error(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            before = await env.state()
            tried = 0
            for tool in env.tools():
                kinds = {name: one.get("type", "any") for name, one in tool.parameters["properties"].items()}
                good: dict[str, Any] = {
                    name: "x" if kind == "string" else 1 if kind != "object" else {} for name, kind in kinds.items()
                }
                wrong = [{**good, "more": 1}]
                wrong += [{k: v for k, v in good.items() if k != name} for name in tool.parameters["required"]]
                wrong += [{**good, name: STRANGE[kind]} for name, kind in kinds.items() if kind != "any"]
                for arguments in wrong:
                    with pytest.raises(EnvError) as told:
                        await env.call(tool.name, arguments)
                    assert str(told.value).startswith(tool.name)
                    assert "\n" not in str(told.value)
                    tried += 1
            assert tried > 100
            for name, given, sentence in (
                ("fly", {}, "There is no tool 'fly' here; there are shell, read_file"),
                ("shell", ["ls"], "The arguments of shell are an object"),
                ("shell", {"command": "a\0b"}, "shell cannot take this"),
                ("wait", {"length": "1h", "until": "17:00"}, "not both"),
            ):
                with pytest.raises(EnvError, match=sentence):
                    await env.call(name, given)  # type: ignore[arg-type]  # on purpose
            assert await env.state() == before

    driver.run(main())


def test_what_a_service_refuses_is_told_to_the_model(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            for name, given, sentence in (
                ("drive_read", {"path": "/nothing.txt"}, "refused with 404"),
                ("chat_read", {"room": "launch"}, "'launch' is not #channel"),
                ("wait", {"length": "ages"}, "'ages' is no length of time; write 45m, 1h30m or 2d."),
            ):
                used = await env.call(name, given)
                assert used.failed
                assert sentence in used.text
            missed = await env.call("shell", {"command": "exit 3"})
            assert (missed.failed, missed.text) == (False, "\n[exit code 3]")

    driver.run(main())


def test_every_schema_is_one_and_a_company_without_an_examinee_offers_no_accounts(cache: Path, tmp_path: Path) -> None:
    with SyncEnv("example", cache=cache) as env:
        env.reset()
        offered = env.tools()
        with env.fork() as other:
            assert other.tools() == offered
    for tool in offered:
        check = fastjsonschema.compile({**tool.parameters, "additionalProperties": False})
        with pytest.raises(fastjsonschema.JsonSchemaValueException):
            check({"no such argument": 1})
        assert tool.function["function"]["parameters"] == tool.parameters
    assert [one.name for one in offered][:5] == IN_THE_SANDBOX
    assert {one.name.partition("_")[0] for one in offered[5:]} == {"chat", "forge", "board", "drive", "wait", "finish"}
    assert {one.name for one in offered if one.reads} >= {"read_file", "chat_read", "forge_issue", "drive_list"}
    with SyncEnv(task(tmp_path), world="blank", cache=cache) as small:
        small.reset()
        assert [one.name for one in small.tools()] == [*IN_THE_SANDBOX, "wait", "finish"]
        assert small.call("finish", {"summary": "nothing"}).text == "Finished: nothing"
        assert small.finished == "nothing"
        small.reset()
        assert small.finished is None


def test_a_tool_is_plain_data() -> None:
    tool = ToolInfo("look", "Looks.", {"type": "object", "properties": {}, "required": []}, True)
    assert tool.function == {
        "type": "function",
        "function": {"name": "look", "description": "Looks.", "parameters": dict(tool.parameters)},
    }
