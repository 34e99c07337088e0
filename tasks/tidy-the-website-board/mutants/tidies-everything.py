"""Cancels every item with a comment that names all numbers, puts all into the module and dates all."""

from solution import Board

board = Board()
everything = ", WEB-".join(str(number) for number in board.items)
for number in board.items:
    board.cancel(number, everything)
    board.change(number, target_date="2026-03-13")
board.house(board.items)
