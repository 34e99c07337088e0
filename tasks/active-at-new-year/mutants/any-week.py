"""Active is whoever appears in the quarter at all."""

from solution import answer, put

put(answer("plans_saved > 0"))
