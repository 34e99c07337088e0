"""Lets a library read the workbook, which the hosts do not have."""

from solution import READER, solve

LIBRARY = """

def cells(path):
    import openpyxl

    page = openpyxl.load_workbook(path).worksheets[0]
    found = {(cell.row, cell.column_letter): str(cell.value) for row in page for cell in row if cell.value is not None}
    return found, [str(area) for area in page.merged_cells.ranges]


def read("""
start, end = READER.index("\n\ndef cells("), READER.index("\n\ndef read(")
solve(READER[:start] + LIBRARY + READER[end:].removeprefix("\n\ndef read("), test="")
