"""Debian's WebDAV compliance suite."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.company.serving import Served


@pytest.mark.parametrize("root", ["/remote.php/webdav/", "/remote.php/dav/files/root/"])
def test_litmus_passes_all_its_tests_without_a_warning(blank: Served, tmp_path: Path, root: str) -> None:
    url = blank.url("drive") + root
    run = subprocess.run(
        ["litmus", "-k", url, "root", "blank-root-pass"], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    said = run.stdout + run.stderr
    summaries = re.findall(r"summary for `(\w+)': of (\d+) tests run: (\d+) passed, (\d+) failed", said)
    assert [name for name, *_ in summaries] == ["basic", "copymove", "props", "locks", "http"], said
    assert sum(int(passed) for _, _, passed, _ in summaries) == 104, said
    assert "FAIL" not in said
    assert "WARNING" not in said
    assert "SKIPPED" not in said.upper()
    assert run.returncode == 0
