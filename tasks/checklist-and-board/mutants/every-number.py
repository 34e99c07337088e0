"""An open line for every number there could be, and to Mara a message for every pair of numbers."""

from solution import line, tell, write

write([line(number, f"Item {number}", False, ["Sam Reed"]) for number in range(1, 50)])
for number in range(28, 34):
    for other in range(number + 1, 34):
        tell([number, other])
