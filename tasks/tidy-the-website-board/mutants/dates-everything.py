"""Every open item is due on Friday, whatever it said before."""

from solution import TWINS, Board

board = Board()
for later, earlier in TWINS.items():
    board.cancel(later, earlier)
board.house([number for number in board.homeless() if number not in TWINS])
for number, item in board.items.items():
    if item["state"] in board.open and number not in TWINS:
        board.change(number, target_date="2026-03-13")
