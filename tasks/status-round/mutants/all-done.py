"""Optimism: six times Done, and nobody was asked."""

from solution import WHO, report, set_states, sign_in

states = dict.fromkeys(WHO, "Done")
set_states(states)
report(sign_in(), states)
