"""A class of environments as TRL takes them: methods with names, types and words; nothing of TRL is needed for it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dayjob.adapters.trl import OfficeEnvironment, environment_factory
from dayjob.env import SyncWorkshop
from tests.env.conftest import EXAMPLE
from tests.trial.offices import office, task


@pytest.fixture(scope="module")
def workshop(cache: Path) -> Iterator[SyncWorkshop]:
    with SyncWorkshop(cache) as found:
        yield found


def methods(kind: type[OfficeEnvironment]) -> dict[str, Any]:
    """What TRL takes for tools, found as it finds them."""
    found = dict(inspect.getmembers(kind, predicate=inspect.isfunction))
    return {
        name: one for name, one in found.items() if not name.startswith("_") and name not in ("reset", "get_reward")
    }


def test_its_methods_are_the_tools_of_the_task(workshop: SyncWorkshop) -> None:
    kind = environment_factory(EXAMPLE, workshop=workshop)
    tools = methods(kind)
    assert {"shell", "read_file", "chat_post", "forge_issues", "board_items", "drive_write", "wait"} <= set(tools)
    for name, one in tools.items():
        signature = inspect.signature(one)
        told = [*signature.parameters][1:]
        assert list(one.__annotations__) == [*told, "return"], name
        for parameter in told:
            assert f"\n    {parameter}: " in one.__doc__
    wait = inspect.signature(tools["wait"])
    assert {one.default for one in list(wait.parameters.values())[1:]} == {None}
    shell = inspect.signature(tools["shell"]).parameters
    assert (shell["command"].annotation, shell["command"].default) == (str, inspect.Parameter.empty)
    assert shell["seconds"].annotation == float | None


def test_a_rollout_is_worth_what_was_done_in_it_and_pools_are_reset(workshop: SyncWorkshop, tmp_path: Path) -> None:
    kind: Any = environment_factory(task(tmp_path), world=str(office(tmp_path)), workshop=workshop)
    one, other = kind(), kind()
    row = {"prompt": [{"role": "user", "content": ""}], "seed": 3}
    assert one.reset(**row) == other.reset(**row)
    assert one.write_file(path="/workspace/answer.txt", content="shipshape\n") == "written\n"
    assert one.shell("cat answer.txt", seconds=None) == "shipshape\n"
    assert "shell takes a 'command' of type string" in one.shell(command=3)
    assert (one.get_reward(), other.get_reward()) == (1.0, 0.0)
    assert one.finish("done") == "Finished: done"
    assert one.get_reward() == 1.0
    one.reset(**row)
    assert one.get_reward() == 0.0
    one._close()
    other._close()
