"""`Task.load`: a typed task, or one error with a place and a fix, whatever the files hold."""

from __future__ import annotations

import contextlib
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dayjob.task import Task, TaskError
from dayjob.task.lint import check
from tests.task.folders import add, good_task, put

ROOT = Path(__file__).resolve().parents[2]


def test_the_example_loads_with_all_its_parts() -> None:
    task = Task.load(ROOT / "tasks" / "example")
    assert task.name == "example"
    assert task.services == ("chat", "drive")
    assert task.settings.world == "larkspur"
    assert task.settings.timeouts.work == 900
    assert list(task.scenarios) == ["Tomas Okafor"]
    assert task.dockerfile.base_image == "dayjob/task-base:1"
    assert task.solution == ROOT / "tasks" / "example" / "solution.py"
    assert {mutant.name: mutant.result for mutant in task.mutants} == {
        "counts-cancelled": 6,
        "forgets-credit-notes": 6,
        "only-talks": 4,
        "ticks-the-checklist": 7,
    }
    assert task.references is not None
    assert task.world_overlay is None


def test_a_folder_without_any_optional_part_is_still_a_task(tmp_path: Path) -> None:
    folder = good_task(tmp_path, services=(), colleagues=())
    for name in ("task.toml", "solution.py"):
        (folder / name).unlink()
    for name in ("mutants", "references"):
        shutil.rmtree(folder / name)
    task = Task.load(folder)
    assert task.services == ()
    assert task.solution is None
    assert task.mutants == ()
    assert task.settings.timeouts.work == 1800


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("## Checkpoint 1 (2 pts)\n## Checkpoint 2 (3 pts)\nTotal: 9 pts\n", 5),
        ("Total: 9 pts\n", 9),
        ("Do it well.\n", None),
    ],
)
def test_a_task_is_worth_its_checkpoints_or_else_what_it_states(tmp_path: Path, text: str, points: int | None) -> None:
    folder = good_task(tmp_path)
    (folder / "checkpoints.md").write_text(text)
    assert Task.load(folder).points == points


def test_both_spellings_of_a_service_mean_the_same(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("dependencies.yml", "- chat\n- forge\n- plane\n- owncloud\n")(folder)
    assert Task.load(folder).services == ("chat", "forge", "board", "drive")


def test_init_scripts_come_in_the_order_they_run(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    for name in ("post_init.sh", "pre_init.py", "populate_data.py"):
        put(name, "")(folder)
    assert [path.name for path in Task.load(folder).init_scripts] == ["pre_init.py", "populate_data.py", "post_init.sh"]


def test_an_error_is_one_sentence_with_place_and_fix(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    put("scenarios.json", '{\n  "a": {},\n  oops\n}')(folder)
    with pytest.raises(TaskError) as caught:
        Task.load(folder)
    assert str(caught.value).startswith("scenarios.json:3: it is not valid JSON")
    assert "\n" not in str(caught.value)


def test_an_evaluator_for_a_newer_python_still_loads(tmp_path: Path) -> None:
    folder = good_task(tmp_path)
    add("evaluator.py", "\nx = {'a': 1}\ny = f'{x['a']}'\n")(folder)
    assert Task.load(folder).name == "good-task"
    add("evaluator.py", "\ndef (:\n")(folder)
    if sys.version_info >= (3, 12):
        with pytest.raises(TaskError, match="not valid Python"):
            Task.load(folder)


FILES = (
    "task.md",
    "checkpoints.md",
    "evaluator.py",
    "Dockerfile",
    "dependencies.yml",
    "colleagues.yml",
    "scenarios.json",
    "task.toml",
    "pre_init.py",
    "solution.py",
    "mutants/expected.toml",
    "references/answer.txt",
)

# Bytes that get past a parser's front door more often than random ones do.
SEEDS = st.sampled_from(
    [
        b"",
        b"\0",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"format = 1\n",
        b"- rocketchat\n",
        b"{}",
        b"&a [*a]",
        b"? [a]: {",
        b"!!python/object:os.system x",
        b"2026-99-99",
        b"FROM dayjob/task-base:1\n",
        b"{" * 3000,
        b"[" * 3000,
        b"(" * 300,
        b"x = " + b"1 + " * 5000 + b"1\n",
        b"1" * 5000,
        b"def grade_checkpoints(trajectory=''):\n    return Result([Checkpoint(*a, **b)])\n",
        b"# Checkpoint 1 (99999999999999999999 pts)\n",
        b"\r\r\n\x0c\x1c\x85",
    ]
)
ANY = st.one_of(st.binary(max_size=200), st.builds(lambda a, b: a + b, SEEDS, st.binary(max_size=60)), SEEDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return good_task(tmp_path_factory.mktemp("fuzz"))


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=ANY)
def test_arbitrary_bytes_raise_nothing_but_a_task_error(folder: Path, name: str, content: bytes) -> None:
    path = folder / name
    before = path.read_bytes() if path.exists() else None
    path.write_bytes(content)
    try:
        check(folder)
        with contextlib.suppress(TaskError):
            Task.load(folder)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_bytes(before)
