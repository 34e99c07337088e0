"""Takes the last job of the plan for the one that does not fit."""

from solution import NEW_RAISE, solve

solve(
    raising=NEW_RAISE.replace("next(job for begin, job in planned if begin + job.minutes > DAY)", "planned[-1][1]"),
    tests=False,
)
