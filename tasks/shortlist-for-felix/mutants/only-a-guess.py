"""No list: a name on the off chance, in a message to Felix."""

from solution import say, sign_in

say(sign_in(), "@felix.brandt", "Thomas Aerts is first.")
