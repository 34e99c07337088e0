import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from catalogue import BadCatalogue, read
from catalogue.__main__ import main

SAMPLES = Path(__file__).parents[1] / "samples"


class ReadingTest(unittest.TestCase):
    def test_a_list_for_the_trade_is_read(self):
        plants = read(SAMPLES / "trade.json")
        self.assertEqual([("S1", 120), ("S2", 0), ("M1", 90)], [(plant.article, plant.stock) for plant in plants])
        self.assertEqual(("Salvia", "Vaste planten"), (plants[0].genus, plants[0].group))

    def test_a_list_without_genera_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "list.json")
            path.write_text("[]")
            with self.assertRaisesRegex(BadCatalogue, "not a list for the trade"):
                read(path)

    def test_another_format_is_refused_with_what_is_known(self):
        with self.assertRaisesRegex(BadCatalogue, r"list\.pdf: this format is not read yet; known are \.csv, \.json"):
            read("list.pdf")

    def test_the_command_prints_a_plant_a_line(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main([str(SAMPLES / "clean.csv")])
        self.assertEqual(0, code)
        self.assertIn("A-1\tLavandula angustifolia 'Hidcote'\tC2\t6.90\t80", out.getvalue().splitlines())


if __name__ == "__main__":
    unittest.main()
