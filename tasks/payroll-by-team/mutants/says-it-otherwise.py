"""Right, in another form: semicolons, amounts with a point and cents, a total, and other words for Hana and Marek."""

from solution import put, say, sign_in, table, wait_for

head, *lines = table().splitlines()
rows = [line.split(",") for line in lines]
total = sum(int(amount) for _, _, amount in rows)
written = [f"{team};{people};{int(amount):,}.00".replace(",", "'") for team, people, amount in rows]
put("/Payroll/payroll-by-team.csv", "\r\n".join(["Team;People;Gross_monthly_EUR", *written, f"Total;21;{total}.0"]))
headers = sign_in()
say(
    headers,
    "@hana.sato",
    "Hello Hana, the payroll of each team is ready, you find it in the folder. Engineering has 30500.",
)
wait_for(headers, "marek.nowak")
say(
    headers,
    "@marek.nowak",
    "Hi Marek, that is something for Hana, please talk to her before Thursday 12.03.2026, 10:30.",
)
