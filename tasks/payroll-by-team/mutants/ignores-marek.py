"""Does the sums and answers nobody."""

from solution import finish, put, sign_in, table

put("/Payroll/payroll-by-team.csv", table())
finish(sign_in(), answer="")
