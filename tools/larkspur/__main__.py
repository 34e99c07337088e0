"""`python -m tools.larkspur` writes every generated document of Larkspur; `--check` only says which would change."""

from __future__ import annotations

import importlib
import sys

from tools.larkspur import times
from tools.larkspur.facts import WORLD

KINDS = (
    "attendance", "budget", "catalogues", "contracts", "customers", "expenses", "flyer", "hiring", "invoices", "office",
    "pictures", "product", "staff", "survey", "unsorted", "usage",
)  # fmt: skip


def generated() -> dict[str, bytes]:
    """Every generated file: its path below the world's folder, and its content."""
    found: dict[str, bytes] = {}
    for kind in KINDS:
        for path, content in importlib.import_module(f"tools.larkspur.{kind}").files().items():
            if path in found:
                raise ValueError(f"{path} is written by two generators; the second is {kind}.")
            found[path] = content
    return {**found, times.FILE: times.text(found)}


def differing() -> list[str]:
    """The paths whose file in the world is not what its generator writes."""
    return sorted(
        path
        for path, content in generated().items()
        if not (WORLD / path).is_file() or (WORLD / path).read_bytes() != content
    )


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        stale = differing()
        print("\n".join(stale) if stale else "Every generated file is as its generator writes it.")
        return 1 if stale else 0
    if arguments:
        print("Usage: python -m tools.larkspur [--check]", file=sys.stderr)
        return 2
    files = generated()
    for path, content in files.items():
        target = WORLD / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.is_file() or target.read_bytes() != content:
            target.write_bytes(content)
            print(path)
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
