"""Every open item is due on Friday, whatever it said before."""

from solution import Board

board = Board()
twins = board.twins()
for later, earlier in twins.items():
    board.cancel(later, earlier)
board.house([number for number in board.homeless() if number not in twins])
for number, item in board.items.items():
    if item["state"] in board.open and number not in twins:
        board.change(number, target_date="2026-03-13")
