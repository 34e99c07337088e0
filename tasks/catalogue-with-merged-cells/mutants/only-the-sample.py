"""Reads texts where the sample has them, and stops at any workbook that was saved by another program."""

from solution import replaced, solve

solve(replaced(('            if "xl/sharedStrings.xml" in archive.namelist():', "            if False:")))
