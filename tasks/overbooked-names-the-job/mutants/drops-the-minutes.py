"""Names the job, and loses the number that support search for."""

from solution import NEW_ERROR, solve

solve(error=NEW_ERROR.replace("{minutes} minutes too many: ", ""), tests=False)
