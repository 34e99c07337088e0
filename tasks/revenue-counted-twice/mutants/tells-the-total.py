"""Repairs it without looking at the file, and passes Sofia's total on."""

from solution import ask_sofia, propose, sign_in, tell

_, total = ask_sofia()
forge = sign_in()
propose(forge)
tell(forge, {"total": total})
