"""Four countries and no line for all."""

from solution import customers, put, table

put(table(customers())[:-1])
