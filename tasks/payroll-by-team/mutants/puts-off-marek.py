"""Says no, and does not say whom to ask."""

from solution import finish, put, sign_in, table

put("/Payroll/payroll-by-team.csv", table())
finish(sign_in(), "Sorry, no.")
