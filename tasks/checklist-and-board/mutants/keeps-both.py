"""Writes the right lines under the old ones, and leaves it to the reader which to believe."""

from solution import items, line, old_lines, tell, write

found = sorted(items())
write(old_lines() + [line(*one) for one in found])
tell([number for number, _, _, who in found if not who])
