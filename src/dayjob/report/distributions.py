"""Quantiles of Student's t and of the Beta distribution, from the standard library alone."""

from __future__ import annotations

import math
from collections.abc import Callable

_STEPS = 500
_SMALLEST = 1e-300


def student_quantile(probability: float, freedom: int) -> float:
    """The value below which this share of Student's t lies: for the few tasks of a small run the normal's is short."""
    if probability < 0.5:
        return -student_quantile(1 - probability, freedom)
    high = 1.0
    while _student_share(high, freedom) < probability:
        high *= 2
    return _halved(lambda t: _student_share(t, freedom), probability, high)


def beta_quantile(probability: float, a: float, b: float) -> float:
    """The value below which this share of the Beta distribution lies."""
    return _halved(lambda x: beta_share(x, a, b), probability, 1.0)


def beta_share(x: float, a: float, b: float) -> float:
    """The share of the Beta distribution below `x`: the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    # The fraction is quick on the near side of the mean; the other side is what is left.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _student_share(t: float, freedom: int) -> float:
    """The share below `t`, which is not negative."""
    return 1 - beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            found *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return found


def _not_zero(value: float) -> float:
    return value if abs(value) > _SMALLEST else _SMALLEST


def _halved(share: Callable[[float], float], probability: float, high: float) -> float:
    """Where a share that grows from 0 to `high` reaches the probability."""
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < probability else (low, middle)
    return (low + high) / 2
