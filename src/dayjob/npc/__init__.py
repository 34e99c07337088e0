"""Colleagues: persona from the world, scenario from the task, a mind, and a place in chat as ordinary users."""

from dayjob.npc.cast import Cast as Cast
from dayjob.npc.cast import CastError as CastError
from dayjob.npc.cast import Part as Part
from dayjob.npc.persona import Persona as Persona
from dayjob.npc.scenario import Scenario as Scenario
from dayjob.npc.scenario import ScenarioError as ScenarioError
from dayjob.npc.scenario import problems_in as problems_in
from dayjob.npc.scenario import read_scenarios as read_scenarios
