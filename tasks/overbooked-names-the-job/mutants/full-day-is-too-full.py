"""Counts a job that ends exactly with the day as one that does not fit."""

import solution

solution.TEST = solution.TEST.replace('"pot", 480', '"pot", 470').replace("30 minutes", "20 minutes")
solution.solve(raising=solution.NEW_RAISE.replace("> DAY", ">= DAY"))
