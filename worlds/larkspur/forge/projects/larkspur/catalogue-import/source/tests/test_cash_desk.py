import unittest
from decimal import Decimal
from pathlib import Path

from catalogue import read

SAMPLES = Path(__file__).parents[1] / "samples"


class CashDeskTest(unittest.TestCase):
    def test_semicolons_and_decimal_commas_are_read(self):
        plants = read(SAMPLES / "cash-desk.csv")
        self.assertEqual([Decimal("3.20"), Decimal("1249.00")], [plant.price for plant in plants])
        self.assertEqual(("Zwiebeln", "Märzenbecher"), (plants[0].group, plants[0].variety))


if __name__ == "__main__":
    unittest.main()
