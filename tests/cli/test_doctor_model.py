"""`dayjob doctor --model`: is the model there?"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dayjob.cli import dayjob


def asked(folder: Path, monkeypatch: pytest.MonkeyPatch, rule: str | None) -> Result:
    monkeypatch.chdir(folder)
    for name in ("LITELLM_MODEL", "OPENAI_MODEL", "ANTHROPIC_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    if rule is not None:
        (folder / "model.yml").write_text(f"format: 1\nrules:\n- {rule}\n")
        (folder / "dayjob.toml").write_text('[llm.roles.npc]\nmodel = "script:model.yml"\n')
    return CliRunner().invoke(dayjob, ["doctor", "--model"], catch_exceptions=False)


def test_a_model_that_answers_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = asked(tmp_path, monkeypatch, "say: ready")
    assert "✓ model for npc" in answer.output
    assert answer.exit_code == 0


def test_a_model_that_refuses_is_named_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = asked(tmp_path, monkeypatch, "fault: {status: 400}")
    assert "✗ model for npc" in answer.output
    assert answer.exit_code == 1


def test_no_model_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "No model is configured" in asked(tmp_path, monkeypatch, None).output


def test_settings_that_cannot_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dayjob.toml").write_text("[llm.roles.boss]\nmodel = 'x/y'\n")
    answer = asked(tmp_path, monkeypatch, None)
    assert answer.exit_code == 2
    assert "boss" in answer.output
