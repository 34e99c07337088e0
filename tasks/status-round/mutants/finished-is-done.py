"""Takes Mateo's word that he has finished for Done."""

from solution import WHO, ask, report, set_states, sign_in

headers = sign_in()
states = {number: "Done" if number == 20 else ask(headers, number) for number in WHO}
set_states(states)
report(headers, states)
