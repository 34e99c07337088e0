"""`python -m plant_names NAME` prints what may be meant."""

import sys

from plant_names.guess import guesses

if __name__ == "__main__":
    for name, share in guesses(" ".join(sys.argv[1:])):
        print(f"{share:.3f}  {name}")
