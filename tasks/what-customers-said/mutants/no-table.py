"""Two sentences and no numbers."""

from solution import answers, put

put(answers(), [])
