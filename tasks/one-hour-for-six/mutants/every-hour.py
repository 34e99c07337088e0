"""A message for each hour of the four days, to the channel and to Noor, and nobody is asked before: one is right."""

from solution import DAYS, announce, sign_in

headers = sign_in()
for day in DAYS:
    for hour in range(10, 16):
        announce(headers, day, hour)
