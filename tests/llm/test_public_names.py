"""What `dayjob.llm` offers under its own name."""

from __future__ import annotations

import pytest

import dayjob.llm
from dayjob.llm import calls, cassette, faults, gateway, judge, settings, usage

NAMES = {
    "Budget": usage.Budget,
    "CallLog": calls.CallLog,
    "Cassette": cassette.Cassette,
    "Fault": faults.Fault,
    "Gateway": gateway.Gateway,
    "Judge": judge.Judge,
    "JudgeRequest": judge.JudgeRequest,
    "Label": faults.Label,
    "LlmSettings": settings.LlmSettings,
    "ModelFault": faults.ModelFault,
    "Pass": gateway.Pass,
    "SettingsError": settings.SettingsError,
    "load_settings": settings.load_settings,
}


def test_every_public_name_is_what_its_module_has() -> None:
    assert {name: getattr(dayjob.llm, name) for name in dayjob.llm.__all__} == NAMES


def test_another_name_is_none() -> None:
    with pytest.raises(AttributeError, match=r"'dayjob\.llm' has no attribute 'Wire'"):
        _ = dayjob.llm.Wire
