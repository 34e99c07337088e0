"""Keeps the later of each pair."""

from solution import Board

board = Board()
twins = board.twins()
for later, earlier in twins.items():
    board.cancel(earlier, later)
board.house([number for number in board.homeless() if number not in twins.values()])
for number in board.undated():
    board.change(number, target_date="2026-03-13")
