"""A lucky guess: moves every item one step on, which four of the six have been, and asks nobody."""

from solution import report, set_states, sign_in

states = {15: "In Progress", 16: "Done", 20: "In Review", 23: "In Progress", 25: "In Review", 28: "Done"}
set_states(states)
report(sign_in(), states)
