"""Steps are found where they are, whatever the file looks like."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.report.trajectory_file import TrajectoryError, TrajectoryFile

TEXT = st.text(st.sampled_from('ab{}[]",\\\n steps:é\u2028'), max_size=30)
VALUE = st.recursive(
    TEXT | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.lists(st.dictionaries(st.sampled_from(["message", "steps", "extra"]), VALUE), max_size=6)


@settings(max_examples=150, deadline=None)
@given(steps=STEPS, before=VALUE, after=VALUE, indent=st.sampled_from([None, 1, 2, 4]), plain=st.booleans())
def test_reading_by_steps_gives_what_parsing_the_whole_gives(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[dict[str, Any]],
    before: Any,
    after: Any,
    indent: int | None,
    plain: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.json"
    document = {"agent": before, "steps": steps, "notes": [after, {"steps": [{}]}]}
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=plain), "utf-8")
    with TrajectoryFile(path) as file:
        assert list(file.every_step()) == steps
        assert file.count() == len(steps)
        assert file.steps(1, 2) == steps[1:3]
        assert file.rest() == {**document, "steps": []}
        assert file.head()["agent"] == before


def test_the_first_page_of_a_long_trajectory_is_read_without_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    path.write_text(
        json.dumps({"steps": [{"step_id": number, "message": "x" * 50} for number in range(5000)]}, indent=1)
    )
    with TrajectoryFile(path) as file:
        assert [step["step_id"] for step in file.steps(0, 20)] == list(range(20))
        assert file.known < 50
        assert not file.complete
        assert len(file.within(1000, 2000)) < 50
        assert not file.complete
        assert [step["step_id"] for step in file.steps(4990, 20)] == list(range(4990, 5000))
        assert file.complete


def test_two_threads_may_turn_pages_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "shared.json"
    path.write_text(json.dumps({"steps": [{"step_id": number} for number in range(20_000)]}, indent=1))
    with TrajectoryFile(path) as file, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda first: file.steps(first, 5), range(0, 20_000, 250)))
    assert [page[0]["step_id"] for page in found] == list(range(0, 20_000, 250))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"steps": 1}', '{"steps": [{', "null", '{"a": {"steps": []}}'])
def test_what_is_no_trajectory_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text)
    with pytest.raises(TrajectoryError, match=r"broken\.json"):
        list(TrajectoryFile(path).every_step())
