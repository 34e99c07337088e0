"""`python -m catalogue FILE` prints the plants of a catalogue, one a line."""

import sys

from catalogue import BadCatalogue, read


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1:
        print("usage: python -m catalogue FILE", file=sys.stderr)
        return 2
    try:
        plants = read(arguments[0])
    except (BadCatalogue, OSError) as error:
        print(f"catalogue: {error}", file=sys.stderr)
        return 1
    for plant in plants:
        name = f"{plant.genus} '{plant.variety}'" if plant.variety else plant.genus
        print(f"{plant.article}\t{name}\t{plant.pot}\t{plant.price:.2f}\t{plant.stock}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
