import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

from catalogue import BadCatalogue, Plant, read

SAMPLES = Path(__file__).parents[1] / "samples"


class TablesTest(unittest.TestCase):
    def written(self, data):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "list.csv")
        path.write_bytes(data)
        return path

    def test_a_clean_table_is_read(self):
        plants = read(SAMPLES / "clean.csv")
        self.assertEqual(["A-1", "A-2", "A-3"], [plant.article for plant in plants])
        self.assertEqual(Plant("A-2", "Helleborus × hybridus", "", "C2", Decimal("11.90"), 44), plants[1])

    def test_a_missing_column_is_named(self):
        with self.assertRaisesRegex(BadCatalogue, "no column for genus, price"):
            read(self.written(b"article,stock\n1,2\n"))

    def test_a_price_that_is_none_is_named_with_its_line(self):
        with self.assertRaisesRegex(BadCatalogue, "line 3: 'soon' is no price"):
            read(self.written(b"article,genus,price_eur\n1,Acer,2.00\n2,Acer,soon\n"))

    def test_an_article_may_not_stand_there_twice(self):
        with self.assertRaisesRegex(BadCatalogue, "article 1 stands there twice"):
            read(self.written(b"article,genus,price_eur\n1,Acer,2.00\n1,Acer,3.00\n"))

    def test_rows_with_nothing_in_them_are_left_out(self):
        self.assertEqual(1, len(read(self.written(b"article,genus,price_eur\n1,Acer,2.00\n,,\n\n"))))


if __name__ == "__main__":
    unittest.main()
