"""Keeps the later of each pair."""

from solution import TWINS, Board

board = Board()
for later, earlier in TWINS.items():
    board.cancel(earlier, later)
board.house([number for number in board.homeless() if number not in TWINS.values()])
for number in board.undated():
    board.change(number, target_date="2026-03-13")
