"""Merges what is there."""

from solution import ask_lena, merge, sign_in, tell_priya

forge = sign_in()
tell_priya(forge)
ask_lena()
merge(forge)
