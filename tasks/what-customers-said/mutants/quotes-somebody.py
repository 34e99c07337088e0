"""A nice sentence of a customer makes it livelier."""

from solution import answers, put, table

found = answers()
put(found, table(found), quote=next(one["q10_miss"] for one in found if one["q10_miss"]))
