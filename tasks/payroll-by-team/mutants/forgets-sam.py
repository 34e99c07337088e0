"""Thinks that somebody in the first week does not count yet."""

from solution import finish, put, sign_in, table

put("/Payroll/payroll-by-team.csv", table(skip=("sam.reed",)))
finish(sign_in())
