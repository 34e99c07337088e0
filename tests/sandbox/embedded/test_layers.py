"""Layers are made whole, whoever else makes, sweeps or is killed beside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.layers import LayerStore

MAKER = """
import sys
from pathlib import Path
from dayjob.sandbox.embedded.identity import of_this_user
from dayjob.sandbox.embedded.layers import LayerStore
store = LayerStore(Path(sys.argv[1]), of_this_user())
for number in range(50):
    key = f"{sys.argv[2]}-{number}"
    store.make(key, lambda files: (files / "name").write_text(key) and None)
    store.sweep()
"""


def test_processes_that_make_and_sweep_at_once_lose_no_layer(tmp_path: Path) -> None:
    command = [sys.executable, "-c", MAKER, str(tmp_path)]
    makers = [subprocess.Popen([*command, f"m{at}"], stderr=subprocess.PIPE, text=True) for at in range(4)]
    said = [maker.communicate(timeout=120)[1] for maker in makers]
    assert [maker.returncode for maker in makers] == [0] * 4, said
    store = LayerStore(tmp_path, of_this_user())
    assert all((store.path(f"m{at}-{number}") / "name").is_file() for at in range(4) for number in range(50))
    assert not list(store.folder.glob(".making-*"))


def test_what_a_killed_maker_left_goes_and_what_somebody_makes_stays(tmp_path: Path) -> None:
    store = LayerStore(tmp_path, of_this_user())
    left = store.folder / ".making-left"
    left.mkdir()
    with store.workplace() as part:
        store.sweep()
        assert (part / "files").is_dir()
    assert not left.exists()
