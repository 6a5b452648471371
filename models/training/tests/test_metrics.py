"""The figures on cases that can be counted by hand."""

import unittest

import numpy

from metrics import find_threshold, fit_platt, to_auc, to_ece, to_probability, to_rates

LABELS = numpy.array([False, False, True, True])
EVEN = numpy.full(4, 0.25)


class Figures(unittest.TestCase):
    def test_auc(self):
        cases = [([1, 2, 3, 4], 1.0), ([1, 3, 2, 4], 0.75), ([1, 1, 1, 1], 0.5), ([4, 3, 2, 1], 0.0)]
        for scores, expected in cases:
            with self.subTest(scores=scores):
                self.assertAlmostEqual(to_auc(numpy.array(scores, float), LABELS, EVEN), expected)

    def test_auc_is_weighted(self):
        weights = numpy.array([0.4, 0.1, 0.25, 0.25])
        self.assertAlmostEqual(to_auc(numpy.array([1.0, 3.0, 2.0, 4.0]), LABELS, weights), 0.9)

    def test_a_threshold_keeps_its_false_alarms(self):
        rng = numpy.random.default_rng(1)
        scores, labels = rng.random(400), numpy.arange(400) % 2 == 1
        weights = rng.random(400)
        for rate in (0.01, 0.05, 0.3):
            threshold = find_threshold(scores, labels, weights, rate)
            self.assertLessEqual(to_rates(scores, labels, weights, threshold)[1], rate)

    def test_platt_recovers_its_line_and_calibrates(self):
        rng = numpy.random.default_rng(2)
        logits = rng.normal(0, 2, 40000)
        labels = rng.random(40000) < to_probability(0.5 * logits - 0.3)
        weights = numpy.full(40000, 1 / 40000)
        slope, intercept = fit_platt(logits, labels, weights)
        self.assertAlmostEqual(slope, 0.5, delta=0.03)
        self.assertAlmostEqual(intercept, -0.3, delta=0.03)
        self.assertLess(to_ece(to_probability(slope * logits + intercept), labels, weights), 0.02)


if __name__ == "__main__":
    unittest.main()
