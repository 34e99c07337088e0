"""Pays people too much, by minutes."""

from solution import ROUNDING, name_it, propose, read, sign_in

forge = sign_in()
name_it(forge)
propose(forge, {ROUNDING: read(forge, ROUNDING).replace("time // QUARTER * QUARTER", "-(-time // QUARTER) * QUARTER")})
