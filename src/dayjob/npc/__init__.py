"""Colleagues: persona from the world, scenario from the task, a mind, and a place in chat as ordinary users.

Importing this is cheap: `dayjob check` needs the scenarios of a hundred tasks and nobody's presence in chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayjob.npc.cast import Cast as Cast
    from dayjob.npc.cast import CastError as CastError
    from dayjob.npc.cast import Part as Part
    from dayjob.npc.persona import Persona as Persona
    from dayjob.npc.scenario import Scenario as Scenario
    from dayjob.npc.scenario import ScenarioError as ScenarioError
    from dayjob.npc.scenario import problems_in as problems_in
    from dayjob.npc.scenario import read_scenarios as read_scenarios

_HOMES = {
    "Cast": "cast",
    "CastError": "cast",
    "Part": "cast",
    "Persona": "persona",
    "Scenario": "scenario",
    "ScenarioError": "scenario",
    "problems_in": "scenario",
    "read_scenarios": "scenario",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
