"""Says the same to both: what Hana may hear, and Marek may not."""

from solution import finish, put, say, sign_in, table

headers = sign_in()
put("/Payroll/payroll-by-team.csv", table())
finish(headers)
for where in ("@hana.sato", "@marek.nowak"):
    say(headers, where, "Jana has 3350, 3450 comes above her.")
