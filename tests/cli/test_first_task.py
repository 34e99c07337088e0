"""docs/first-task.md leads to a proven task: every file on it is written and every command on it is run, in order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "first-task.md"
_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$', re.DOTALL | re.MULTILINE)


def test_the_half_hour_leads_to_a_proven_task(tmp_path: Path) -> None:
    commands = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}"}
    said = {}
    for block in _BLOCK.finditer(GUIDE.read_text("utf-8")):
        if block["title"]:
            path = tmp_path / block["title"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], "utf-8")
            continue
        assert block["kind"] == "sh", block["text"]
        for line in block["text"].splitlines():
            done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True)
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            said[line] = done.stdout
    assert "21 of 21 claims hold." in said["dayjob test plant-rota --times 3"]
    assert "resolved" in said["dayjob report runs/plant-rota"].lower()
