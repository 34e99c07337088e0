"""CI files: what they mean, what is wrong with them, and that none can do harm."""

from __future__ import annotations

import time
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.company.forge.ci import planning
from dayjob.company.forge.ci.file import lint


def _job(content: str, name: str = "test", files: dict[str, str] | None = None) -> dict[str, Any]:
    found = lint(content, (files or {}).get)
    assert found.errors == []
    return found.jobs[name]


def test_extends_merges_mappings_deeply_and_lists_not_at_all() -> None:
    job = _job("""
.base: {variables: {A: 1, B: 2}, script: [one, two], tags: [x]}
test: {extends: .base, variables: {B: 3}, script: [three]}
""")
    assert job["variables"] == {"A": 1, "B": 3}
    assert (job["script"], job["tags"]) == (["three"], ["x"])


def test_default_fills_what_a_job_does_not_say_after_extends_and_as_far_as_it_inherits() -> None:
    content = """
default: {image: "a", tags: [d], retry: 1}
.base: {image: "b"}
test: {extends: .base, script: x}
other: {script: x, inherit: {default: [image]}}
none: {script: x, inherit: {default: false}}
"""
    assert (_job(content)["image"], _job(content)["tags"]) == ("b", ["d"])
    assert (_job(content, "other")["image"], "tags" in _job(content, "other")) == ("a", False)
    assert "image" not in _job(content, "none")


def test_references_are_put_in_their_place_and_lists_become_part_of_lists() -> None:
    job = _job("""
.setup: {script: [a, b], rules: [{if: $X}]}
test:
  script: [!reference [.setup, script], c]
  rules: !reference [.setup, rules]
""")
    assert (job["script"], job["rules"]) == (["a", "b", "c"], [{"if": "$X"}])


def test_included_files_lie_below_the_one_that_includes_them() -> None:
    files = {"ci/a.yml": "include: /ci/b.yml\ntest: {script: [a], tags: [a]}", "ci/b.yml": "deep: {script: [b]}"}
    content = "include:\n  - local: /ci/a.yml\ntest: {tags: [mine]}\n"
    assert _job(content, files=files) == {"script": ["a"], "tags": ["mine"]}
    assert _job(content, "deep", files)["script"] == ["b"]
    assert [one["location"] for one in lint(content, files.get).includes] == ["ci/a.yml", "ci/b.yml"]


def test_copies_of_a_job_have_names_and_variables_of_their_own() -> None:
    assert [one.name for one in planning.planned("t", {"script": "x", "parallel": 2})] == ["t 1/2", "t 2/2"]
    matrix = {"parallel": {"matrix": [{"OS": ["deb", "rpm"], "ARCH": "x"}]}, "script": "x"}
    found = planning.planned("t", matrix)
    assert [one.name for one in found] == ["t: [deb, x]", "t: [rpm, x]"]
    assert found[1].config["variables"] == [{"key": "OS", "value": "rpm"}, {"key": "ARCH", "value": "x"}]


def test_files_that_refer_to_each_other_without_end_are_refused_soon() -> None:
    began = time.process_time()
    circle = {"a.yml": "include: b.yml\nx: {script: a}", "b.yml": "include: a.yml\ny: {script: b}"}
    assert set(lint("include: a.yml", circle.get).jobs) == {"x", "y"}
    tower = "\n".join(f".r{n}: {{k: [!reference [.r{n + 1}, k], !reference [.r{n + 1}, k]]}}" for n in range(9))
    bomb = lint(f"{tower}\n.r9: {{k: [{', '.join('x' * 90)}]}}\na: {{script: !reference [.r0, k]}}")
    assert not bomb.valid
    itself = lint(".a: {k: !reference [.a, k]}\nb: {script: !reference [.a, k]}")
    assert "nested too deeply" in itself.errors[0]
    many = {f"{n}.yml": f"include: [{n + 1}.yml]\nj{n}: {{script: x}}" for n in range(400)}
    assert not lint("include: 0.yml", many.get).valid
    assert time.process_time() - began < 5


KEYS = st.sampled_from([
    "a", "b", ".base", "stages", "variables", "workflow", "default", "include", "script", "stage", "rules", "if",
    "when", "needs", "extends", "parallel", "matrix", "image", "artifacts", "paths", "reports", "cache", "retry",
    "timeout", "allow_failure", "exit_codes", "environment", "only", "except", "changes", "exists", "job",
    "optional", "inherit", "dependencies", "tags", "start_in", "services", "before_script",
])  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 300) | st.floats(allow_nan=True) | st.text(max_size=8)
    | st.sampled_from(["$A == 'b'", "/x/", "1 day", "never", "manual", "a", ".base", "test", "delayed"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(KEYS, VALUES, max_size=6))
@settings(max_examples=300, deadline=None)
def test_no_file_is_a_crash(data: dict[str, Any]) -> None:
    found = lint(yaml.safe_dump(data), {"a": "b: {script: x}"}.get)
    assert found.valid == (not found.errors)
    for name, job in found.jobs.items() if found.valid else ():
        copies = planning.planned(name, job)
        assert copies
        assert [one.name for one in copies if not one.config["script"]] == []


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_is_a_crash(text: str) -> None:
    found = lint(text)
    assert found.valid == (not found.errors)
