"""Reverts the whole commit, and with it the reading of names with accents."""

from solution import ROUNDING, TESTS, name_it, propose, read, sign_in, tested

READING, PAYROLL = "timesheets/reading.py", "tests/test_payroll.py"

forge = sign_in()
name_it(forge)
files = {path: read(forge, path, "v1.1") for path in (ROUNDING, READING, PAYROLL)}
propose(forge, {**files, TESTS: tested(forge)})
