"""The world that a checkout becomes, file by file, in `written/`."""

from __future__ import annotations

import json
from pathlib import Path

from dayjob.importing import import_tac
from tests.company.talks.talk import kept
from tests.importing.checkouts import checkout

WRITTEN = Path(__file__).with_name("written")


def test_a_checkout_becomes_the_world_written_down(tmp_path: Path) -> None:
    import_tac(checkout(tmp_path), tmp_path / "tac")
    lines = []
    for path in sorted((tmp_path / "tac").rglob("*")):
        if path.is_file():
            name = path.relative_to(tmp_path / "tac").as_posix()
            lines += [f"{name}:{number}: {line}" for number, line in enumerate(_text(path), 1)]
    assert kept(WRITTEN / "world.txt", lines) == []


def _text(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        return [json.dumps(f"{path.stat().st_size} bytes")]
