"""Task folders for tests: a good one, and ways to spoil it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dayjob.task.lint import check
from dayjob.task.scaffold import compose, wish

LARKSPUR = Path(__file__).resolve().parents[2] / "worlds" / "larkspur"
SERVICES = ("rocketchat", "gitlab", "plane", "owncloud")


def good_task(
    parent: Path, services: tuple[str, ...] = SERVICES, colleagues: tuple[str, ...] = ("Tomas Okafor",)
) -> Path:
    """A scaffolded task that passes every rule, with a mutant."""
    folder = parent / "good-task"
    files = compose(wish("good-task", services, colleagues, LARKSPUR))
    del files["mutants/guesses.py"], files["mutants/in-digits.py"]
    files["mutants/lazy.py"] = "pass\n"
    files["mutants/expected.toml"] = 'format = 1\n\n[lazy]\nresult = 0\nwhy = "does nothing"\n'
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def rules_of(folder: Path) -> set[str]:
    """The ids of the rules that do not hold."""
    return {finding.rule.id for finding in check(folder)}


def put(name: str, content: str | bytes) -> Callable[[Path], None]:
    """Replace a file's content."""

    def spoil(folder: Path) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

    return spoil


def add(name: str, content: str) -> Callable[[Path], None]:
    """Append to a file."""

    def spoil(folder: Path) -> None:
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") + content, encoding="utf-8")

    return spoil


def swap(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Replace a part of a file, which must be there."""

    def spoil(folder: Path) -> None:
        path = folder / name
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} has no {old!r} to spoil"
        path.write_text(text.replace(old, new), encoding="utf-8")

    return spoil


def drop(name: str) -> Callable[[Path], None]:
    """Remove a file."""
    return lambda folder: (folder / name).unlink()


def link(name: str, target: str) -> Callable[[Path], None]:
    """Make a symbolic link."""

    def spoil(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(target)

    return spoil
