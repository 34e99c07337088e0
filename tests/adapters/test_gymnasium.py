"""Gymnasium's own checker, wrappers and vectors take our tasks for its environments."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

from dayjob.adapters.gymnasium import DayjobEnv
from dayjob.adapters.sharing import give_back, take
from dayjob.task.find import own_tasks
from tests.trial.offices import office, task

ANSWER = ("write_file", {"path": "/workspace/answer.txt", "content": "shipshape\n"})
NOTHING = ("shell", {"command": "true"})
FINISH = ("finish", {"summary": "done"})


@pytest.fixture(scope="module", autouse=True)
def workshop(cache: Path) -> Iterator[None]:
    """Kept for all tests here."""
    take(cache)
    try:
        yield
    finally:
        give_back(cache)


@pytest.fixture
def small(cache: Path, tmp_path: Path) -> dict[str, Any]:
    return {"task": str(task(tmp_path)), "world": str(office(tmp_path)), "cache": cache}


def test_every_task_is_registered() -> None:
    known = {name for name in gymnasium.registry if name.startswith("dayjob/")}
    assert known == {f"dayjob/{one.name}-v0" for one in own_tasks()}


@pytest.mark.parametrize("actions", [None, [NOTHING, ANSWER]], ids=["texts", "numbers"])
def test_the_checker_of_gymnasium_finds_nothing(cache: Path, actions: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)
        check_env(gymnasium.make("dayjob/example-v0", cache=cache, actions=actions).unwrapped)


def test_the_example_is_made_by_its_name_and_solved(cache: Path) -> None:
    name = "dayjob.adapters.gymnasium:dayjob/example-v0"
    env = gymnasium.make(name, cache=cache)
    instruction, info = env.reset(seed=7)
    assert "Write a short report to /Operations/over-budget.md" in instruction
    assert {"shell", "chat_post", "finish"} <= {one["function"]["name"] for one in info["tools"]}
    solution = (Path(__file__).parents[2] / "tasks" / "example" / "solution.py").read_text("utf-8")
    acts: list[tuple[str, dict[str, Any]]] = [
        ("write_file", {"path": "/workspace/work.py", "content": solution}),
        ("shell", {"command": "python3 work.py"}),
        FINISH,
    ]
    steps = [env.step(json.dumps({"tool": tool, "arguments": given})) for tool, given in acts]
    assert [(step[1], step[2], step[3]) for step in steps] == [(0, False, False), (1, False, False), (0, True, False)]
    env.close()


def test_prepared_actions_are_numbers_and_vectors_of_environments_work(small: dict[str, Any]) -> None:
    made = [lambda: DayjobEnv(**small, actions=[NOTHING, ANSWER, FINISH])] * 3
    envs = SyncVectorEnv(made)
    envs.reset(seed=[1, 2, 3])
    _, rewards, ends, _, infos = envs.step([0, 1, 2])
    assert (rewards.tolist(), ends.tolist()) == ([0.0, 1.0, 0.0], [False, False, True])
    assert infos["failed"].tolist() == [False, False, False]
    envs.close()


def test_a_process_keeps_one_workshop_until_its_last_environment_is_closed(tmp_path: Path, cache: Path) -> None:
    other = tmp_path / "cache"
    one, two = (gymnasium.make("dayjob/example-v0", cache=other) for _ in range(2))
    workshop = take(other)
    assert take(other) is workshop is not take(cache)
    for place in (other, other, cache):
        give_back(place)
    one.close()
    one.close()
    assert take(other) is workshop
    give_back(other)
    two.close()
    assert take(other) is not workshop
    give_back(other)


def test_a_seed_draws_the_next_ones(cache: Path) -> None:
    """Ids are drawn from the seed, and a channel shows them."""
    name, act = "dayjob/example-v0", json.dumps({"tool": "forge_projects", "arguments": {}})
    post = json.dumps({"tool": "chat_post", "arguments": {"room": "#launch", "text": "Hello"}})

    def states(seed: int) -> list[str]:
        env = gymnasium.make(name, cache=cache)
        found = []
        for given in (seed, None):
            env.reset(seed=given)
            env.step(act)
            env.step(post)
            unwrapped = env.unwrapped
            assert isinstance(unwrapped, DayjobEnv)
            found.append(unwrapped.episode.env.state()["chat"])
        env.close()
        return found

    first, again, other = states(1), states(1), states(2)
    assert first == again
    assert len({*first, *other}) == 4


def test_a_long_attempt_is_truncated(cache: Path) -> None:
    env = gymnasium.make("dayjob/example-v0", cache=cache, max_episode_steps=2, rewarded="end")
    env.reset(seed=1)
    assert [env.step("wait")[3], env.step("wait")[3]] == [False, True]
    env.close()
