"""Writes down the decisions only, loses the old page's steps, and tells nobody."""

from solution import SECTIONS, sign_in, write

how = "First greenhouse-2, then thirty minutes of waiting with all checks green, then greenhouse-1."
write(sign_in(), {**SECTIONS, "How": how})
