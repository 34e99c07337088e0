"""Reads the first page of each: what names its order on the second has none."""

import solution

whole = solution.PdfReader
solution.PdfReader = lambda file: type("First", (), {"pages": whole(file).pages[:1]})()
found = solution.waiting()
solution.put(found)
solution.tell(len(found))
