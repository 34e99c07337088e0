import unittest

from plant_names.distance import distance


class DistanceTest(unittest.TestCase):
    def test_the_same_is_no_distance(self):
        self.assertEqual(0, distance("acer", "acer"))

    def test_usual_mistakes_are_cheap(self):
        self.assertLess(distance("lavendula", "lavandula"), 1)
        self.assertLess(distance("tymus", "tymmus"), 0.5)

    def test_it_is_the_same_in_both_directions(self):
        self.assertAlmostEqual(distance("salvia", "silva"), distance("silva", "salvia"))


if __name__ == "__main__":
    unittest.main()
