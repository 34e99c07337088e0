import unittest

from plant_names.guess import guesses
from plant_names.names import plain


class GuessTest(unittest.TestCase):
    def test_accents_and_crosses_do_not_matter(self):
        self.assertEqual("helleborus hybridus", plain("Helléborus × hybridus"))

    def test_a_misspelt_name_is_found(self):
        self.assertEqual("Delphinium elatum", guesses("delfinium elatum")[0][0])
        self.assertEqual("Fuchsia magellanica", guesses("Fuschia magelanica")[0][0])

    def test_what_is_too_far_away_is_not_guessed(self):
        self.assertEqual([], guesses("garden hose"))
        self.assertEqual([], guesses("  "))


if __name__ == "__main__":
    unittest.main()
