"""The gateway: one door to models for examinee, colleagues and judge. Counts, limits, records, and labels its faults.

Importing this is cheap; `Gateway` and what it needs come when first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayjob.llm.calls import CallLog as CallLog
    from dayjob.llm.cassette import Cassette as Cassette
    from dayjob.llm.faults import Fault as Fault
    from dayjob.llm.faults import Label as Label
    from dayjob.llm.faults import ModelFault as ModelFault
    from dayjob.llm.gateway import Gateway as Gateway
    from dayjob.llm.gateway import Pass as Pass
    from dayjob.llm.judge import Judge as Judge
    from dayjob.llm.judge import JudgeRequest as JudgeRequest
    from dayjob.llm.settings import LlmSettings as LlmSettings
    from dayjob.llm.settings import SettingsError as SettingsError
    from dayjob.llm.settings import load_settings as load_settings
    from dayjob.llm.usage import Budget as Budget

_HOMES = {
    "CallLog": "calls",
    "Cassette": "cassette",
    "Fault": "faults",
    "Label": "faults",
    "ModelFault": "faults",
    "Gateway": "gateway",
    "Pass": "gateway",
    "Judge": "judge",
    "JudgeRequest": "judge",
    "LlmSettings": "settings",
    "SettingsError": "settings",
    "load_settings": "settings",
    "Budget": "usage",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
