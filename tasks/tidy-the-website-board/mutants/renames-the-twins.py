"""May not delete the twins, and so calls them something else."""

from solution import TWINS, Board

board = Board()
board.house([number for number in board.homeless() if number not in TWINS])
for number in board.undated():
    if number not in TWINS:
        board.change(number, target_date="2026-03-13")
for later in TWINS:
    board.change(later, name="to be deleted", labels=[])
