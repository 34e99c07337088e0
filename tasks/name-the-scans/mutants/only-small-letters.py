"""Has read the first rule of the policy and no other."""

import re

from solution import COPY, NAMES, rename

for old in (*NAMES, COPY):
    stem, _, ending = old.rpartition(".")
    rename(old, re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") + "." + ending.lower())
