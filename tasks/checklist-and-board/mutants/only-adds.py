"""Adds what is missing and believes the rest."""

import re

from solution import items, line, old_lines, tell, write

kept = old_lines()
there = {int(number) for number in re.findall(r"TREL-(\d+)", "\n".join(kept))}
write(kept + [line(*one) for one in sorted(items()) if one[0] not in there])
tell([29, 33])
