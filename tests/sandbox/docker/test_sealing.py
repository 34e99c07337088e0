"""A task folder made ready for an image that travels: what is sealed, what stays out, what anybody may see."""

from __future__ import annotations

from pathlib import Path

import pytest

from dayjob.sandbox.docker.sealing import sealed_context
from dayjob.task.dockerfile import parse_dockerfile

DOCKERFILE = "FROM dayjob/task-base:1\nCOPY answers.csv /utils/\nCOPY notes.txt /workspace/\n"
FILES = {
    "task.md": "Do it.\n", "dependencies.yml": "- chat\n", "evaluator.py": "SECRET = 1\n", "answers.csv": "SECRET\n",
    "notes.txt": "open\n", "solution.py": "SECRET\n", "checkpoints.md": "SECRET\n", "task.toml": "SECRET\n",
    "references/gold.txt": "SECRET\n", "__pycache__/evaluator.pyc": "SECRET\n", "Dockerfile": DOCKERFILE,
}  # fmt: skip


@pytest.mark.parametrize("ignored", [None, "*.log"])
def test_what_only_graders_may_see_is_sealed_and_the_seal_is_copied_whatever_is_ignored(
    tmp_path: Path, ignored: str | None
) -> None:
    folder, into = tmp_path / "task", tmp_path / "into"
    into.mkdir()
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    if ignored:
        (folder / ".dockerignore").write_text(ignored)
    places = sealed_context(folder, parse_dockerfile(DOCKERFILE), b"k" * 32, into)
    assert "/utils/answers.csv" in places
    shown = {str(path.relative_to(into)): path.read_bytes() for path in into.rglob("*") if path.is_file()}
    assert [name for name, content in shown.items() if b"SECRET" in content] == []
    assert shown["notes.txt"] == b"open\n"
    assert b"This file is sealed" in shown["answers.csv"]
    assert shown["Dockerfile"].decode() == f"{DOCKERFILE}\nCOPY dayjob.sealed /utils/sealed\n"
    assert not {"solution.py", "checkpoints.md", "task.toml", "__pycache__/evaluator.pyc"} & set(shown)
    assert shown.get(".dockerignore", b"").decode() == (f"{ignored}\n!dayjob.sealed\n" if ignored else "")
