"""Does all of it, in the order in which nobody wanted it."""

import time

from solution import name_it, repair, sign_in

forge = sign_in()
repair(forge)
time.sleep(0.01)
name_it(forge)
