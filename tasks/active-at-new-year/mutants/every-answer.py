"""Three readings of the same words, one below the other: the right one is the last."""

from solution import answer, put

put([*answer("plans_saved > 0"), *answer("plans_saved > 0 AND monday > date('2025-12-31', '-42 days')"), *answer()])
