"""One headset for Aoife: nobody has two heads."""

from solution import ORDER, order, put, wishes

put(
    ORDER,
    order(
        [(article, 1, *rest) if article == "KL-2201" else (article, count, *rest) for article, count, *rest in wishes()]
    ),
)
