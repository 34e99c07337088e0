"""Writes into the template as well: the next one finds Aoife's figures in it."""

from solution import ask_tomas, claims, form, put

filled = form(claims(*ask_tomas()))
put(filled)
put(filled, "expense-form-template.xlsx")
