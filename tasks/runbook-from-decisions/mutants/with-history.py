"""Says what is in force, and what was before."""

from solution import SECTIONS, announce, sign_in, write

history = {"History": "We used to wait ten minutes, and to keep seven backups."}
write(sign_in(), {**history, **SECTIONS})
announce()
