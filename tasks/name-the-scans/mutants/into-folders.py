"""The right names, in folders of their own: nobody asked for that."""

from solution import COPY, DRIVE, FOLDER, NAMES, ask, quote, solve

ask("MKCOL", "/Operations/Sorted")
solve(NAMES)
ask("DELETE", FOLDER + COPY)
for new in NAMES.values():
    ask("MOVE", FOLDER + new, headers={"Destination": DRIVE + quote("/Operations/Sorted/" + new)})
