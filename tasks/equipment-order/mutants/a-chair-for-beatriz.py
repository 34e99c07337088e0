"""Hears a complaint and orders a chair."""

from solution import ORDER, order, put, wishes

put(ORDER, order([*wishes(), ("KL-1010", 1, "Beatriz Ramos", 300)]))
