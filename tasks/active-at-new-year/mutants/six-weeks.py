"""A month and a half is about a month."""

from solution import answer, put

put(answer("plans_saved > 0 AND monday > date('2025-12-31', '-42 days')"))
