"""Two lines for every team, a wrong one and the right one, and a file that says everything says nothing."""

from solution import finish, put, sign_in, table

head, *lines = table().splitlines()
put("/Payroll/payroll-by-team.csv", "\n".join([head, *(f"{line.split(',')[0]},1,1" for line in lines), *lines]))
finish(sign_in())
