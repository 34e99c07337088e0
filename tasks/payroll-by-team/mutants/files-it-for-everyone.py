"""Puts a second copy where everybody finds it."""

from solution import finish, put, sign_in, table

put("/Payroll/payroll-by-team.csv", table())
put("/Finance/payroll-by-team.csv", table())
finish(sign_in())
