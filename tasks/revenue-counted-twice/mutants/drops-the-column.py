"""Takes the join out again, and the column that Tomas divides by with it."""

from solution import REPORT, ask_sofia, february, propose, sign_in, tell

report = "".join(line for line in REPORT.splitlines(keepends=True) if "AS sites" not in line)
path, _ = ask_sofia()
forge = sign_in()
propose(forge, report)
tell(forge, february(path, report))
