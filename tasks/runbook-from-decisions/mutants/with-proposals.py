"""Takes Mateo's proposal for a decision."""

from solution import SECTIONS, announce, sign_in, write

write(sign_in(), {**SECTIONS, "Launch": SECTIONS["Launch"] + "\n\nAfter the launch we deploy at noon."})
announce()
