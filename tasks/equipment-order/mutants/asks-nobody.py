"""A lucky guess: the right order without a word to anybody."""

from solution import ORDER, order, put

put(
    ORDER,
    order(
        [
            ("KL-2101", 1, "Lena Fischer", 700),
            ("KL-2006", 2, "Arjun Mehta", 700),
            ("KL-2111", 1, "Yusuf Demir", 500),
            ("KL-3010", 1, "Yusuf Demir", 500),
            ("KL-2201", 2, "Aoife Byrne", 600),
        ]
    ),
)
