"""May not delete the twins, and so calls them something else."""

from solution import Board

board = Board()
twins = board.twins()
board.house([number for number in board.homeless() if number not in twins])
for number in board.undated():
    if number not in twins:
        board.change(number, target_date="2026-03-13")
for later in twins:
    board.change(later, name="to be deleted", labels=[])
