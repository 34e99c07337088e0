"""Writes the order, and fills in the form itself too."""

from solution import ORDER, order, put, wishes

filled = order(wishes())
put(ORDER, filled)
put("/Operations/Office/order-form-template.xlsx", filled)
