"""What `dayjob.npc` offers under its own name."""

from __future__ import annotations

import pytest

import dayjob.npc
from dayjob.npc import cast, persona, scenario

NAMES = {
    "Cast": cast.Cast,
    "CastError": cast.CastError,
    "Part": cast.Part,
    "Persona": persona.Persona,
    "Scenario": scenario.Scenario,
    "ScenarioError": scenario.ScenarioError,
    "problems_in": scenario.problems_in,
    "read_scenarios": scenario.read_scenarios,
}


def test_every_public_name_is_what_its_module_has() -> None:
    assert {name: getattr(dayjob.npc, name) for name in dayjob.npc.__all__} == NAMES


def test_another_name_is_none() -> None:
    with pytest.raises(AttributeError, match=r"'dayjob\.npc' has no attribute 'Mind'"):
        _ = dayjob.npc.Mind
