"""Half of what a customer wrote, in small letters, so that nobody finds it."""

from solution import answers, put, table

found = answers()
put(found, table(found), quote="i type it every year")
