"""A lucky guess: moves every item one step on, which four of the six have been, and asks nobody, but names all six."""

from solution import WHO, say, set_states, sign_in

states = {15: "In Progress", 16: "Done", 20: "In Review", 23: "In Progress", 25: "In Review", 28: "Done"}
set_states(states)
headers = sign_in()
lines = [f"TREL-{number}: {state} (@{WHO[number]})" for number, state in states.items()]
say(headers, "#engineering", "\n".join(lines))
for username in WHO.values():
    say(headers, f"@{username}", "Your item is up to date.")
