"""A score that leans on a confound loses by its removal."""

import unittest

import numpy

from metrics import compare_auc


class Confounds(unittest.TestCase):
    def test_a_score_that_loses_its_confound_is_seen(self):
        rng = numpy.random.default_rng(1)
        is_artificial = numpy.arange(800) % 2 == 1
        sources = numpy.array([f"{'artificial' if label else 'human'}/{index // 40}" for index, label in enumerate(is_artificial)])
        after = rng.normal(0, 1, 800) + 0.5 * is_artificial
        change, interval = compare_auc(after + is_artificial, after, is_artificial, numpy.full(800, 1 / 800), sources)
        self.assertLess(change, -0.1)
        self.assertLess(interval[1], 0)


if __name__ == "__main__":
    unittest.main()
