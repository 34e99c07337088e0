"""Which test files belong to a source file: tests mirror `src/`, so the nearest ones share the most of its path."""

from __future__ import annotations

from pathlib import Path

# Test files that prove a folder beside the one that mirrors it.
BESIDE = {
    "company": ("tests/company/test_tables_written_down.py",),
    "company/drive/previews": ("tests/test_seccomp.py", "tests/company/drive/pages/test_previews.py"),
    **{f"company/{name}": (f"tests/company/{name}/test_talks.py",) for name in ("board", "chat", "drive", "forge")},
    "report": ("tests/cli/test_view.py", "tests/cli/test_report.py"),
    "task": ("tests/cli/test_check.py", "tests/cli/test_new.py"),
}


def files_testing(root: Path, file: str, extra: tuple[str, ...] = (), package: str = "src/dayjob") -> list[str]:
    """The test files of the deepest folder that mirrors the file's, those of its package with its name, and `extra`."""
    inside = Path(file).relative_to(package)
    top = root / "tests" / inside.parts[0] if len(inside.parts) > 1 else root / "tests"
    found = set(top.rglob(f"test_{inside.stem}.py"))
    folder = root / "tests" / inside.parent
    while not any(folder.glob("test_*.py")) and folder != root / "tests":
        folder = folder.parent
    if folder != root / "tests" or not found:
        found.update(folder.glob("test_*.py"))
    beside = [name for folder, names in BESIDE.items() if inside.is_relative_to(folder) for name in names]
    named = named_test_files(root, (*extra, *(name for name in beside if (root / name).is_file())))
    return sorted({str(path.relative_to(root)) for path in found} | set(named))


def named_test_files(root: Path, places: tuple[str, ...]) -> list[str]:
    """Test files by name, and all of those in folders."""
    found: set[Path] = set()
    for name in places:
        place = root / name
        found.update([place] if place.is_file() else place.rglob("test_*.py"))
    return sorted(str(path.relative_to(root)) for path in found)


def nearness(file: str, test_file: str, package: str = "src/dayjob") -> int:
    """How near a test file is to a source file: folders in common, and more when it bears its name."""
    inside, test = Path(file).relative_to(package), Path(test_file).relative_to("tests")
    shared = 0
    for ours, theirs in zip(inside.parts[:-1], test.parts[:-1], strict=False):
        if ours != theirs:
            break
        shared += 1
    apart = len(test.parts) - 1 - shared
    return 4 * shared - apart + (6 if inside.stem in test.stem else 0)
