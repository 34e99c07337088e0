"""Asks nobody: a franc is a euro, and Switzerland is as dear as France."""

from solution import claims, form, put

put(form(claims(1.0, 55.0)))
