import unittest
from pathlib import Path
import sys

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy

from conformal import choose_conformal_threshold, to_bound


class ConformalThreshold(unittest.TestCase):
    def test_counts_owners_and_not_files(self):
        owners = numpy.array(["one"] * 1000 + [f"owner {index}" for index in range(200)])
        values = numpy.concatenate([numpy.full(1000, 0.9), numpy.linspace(0.1, 0.5, 200)])
        # The thousand files of one owner are one owner that is accused: 2 of 202.
        self.assertAlmostEqual(to_bound(values > 0.6, owners), 2 / 202)
        self.assertLess(choose_conformal_threshold(values, owners, 0.01), 0.6)

    def test_is_the_lowest_that_holds(self):
        owners = numpy.array([f"owner {index}" for index in range(299)])
        values = numpy.arange(299) / 299
        threshold = choose_conformal_threshold(values, owners, 0.01)
        self.assertEqual(int((values >= threshold).sum()), 2)

    def test_refuses_a_promise_that_so_few_owners_cannot_give(self):
        with self.assertRaisesRegex(ValueError, "at least 100 owners"):
            choose_conformal_threshold(numpy.array([0.1, 0.2]), numpy.array(["a", "b"]), 0.01)

    def test_holds_on_owners_that_were_not_seen(self):
        rng = numpy.random.default_rng(3)
        shares = []
        for _ in range(60):
            level = rng.normal(0, 1, 400)
            values = numpy.repeat(level, 5) + rng.normal(0, 0.3, 2000)
            owners = numpy.repeat(numpy.arange(400), 5)
            seen = owners < 200
            threshold = choose_conformal_threshold(values[seen], owners[seen], 0.01)
            shares.append((values[~seen] >= threshold).mean())
        self.assertLess(float(numpy.mean(shares)), 0.0115)


if __name__ == "__main__":
    unittest.main()
