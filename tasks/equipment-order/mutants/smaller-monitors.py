"""Takes the first monitor in the catalogue."""

from solution import ORDER, order, put, wishes

put(ORDER, order([("KL-2005" if article == "KL-2006" else article, *rest) for article, *rest in wishes()]))
