"""Makes new files with the right names and deletes the old ones."""

from solution import COPY, FOLDER, NAMES, ask

for old, new in NAMES.items():
    ask("PUT", FOLDER + new, data=ask("GET", FOLDER + old).content)
    ask("DELETE", FOLDER + old)
ask("DELETE", FOLDER + COPY)
