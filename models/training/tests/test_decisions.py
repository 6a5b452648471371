"""Where a probability begins to mean something."""

import unittest

import numpy

from decisions import choose_band, choose_cautious_threshold
from metrics import to_probability, to_rates


def draw(count=2000, seed=3):
    """Returns (log-odds, labels, weights) of a score that is calibrated and not too good."""
    rng = numpy.random.default_rng(seed)
    labels = numpy.arange(count) % 2 == 0
    return rng.normal(numpy.where(labels, 1, -1), 1.4), labels, numpy.full(count, 1 / count)


class Decisions(unittest.TestCase):
    def test_caution_holds_in_every_tier(self):
        log_odds, labels, weights = draw()
        tiers = [(to_probability(log_odds + shift), labels, weights) for shift in (0, 0.5)]
        threshold = choose_cautious_threshold(tiers, 0.01)
        for scores, *rest in tiers:
            self.assertLessEqual(to_rates(scores, *rest, threshold)[1], 0.01)

    def test_the_band_leaves_a_tenth_of_each_label_on_the_wrong_side(self):
        log_odds, labels, weights = draw()
        scores = to_probability(log_odds)
        low, high = choose_band(scores, labels, weights)
        self.assertAlmostEqual((scores[~labels] > high).mean(), 0.1, delta=0.015)
        self.assertAlmostEqual((scores[labels] < low).mean(), 0.1, delta=0.015)


if __name__ == "__main__":
    unittest.main()
