"""The fusion is calibrated, prefers the better detector, and keeps its false alarms."""

import unittest

import numpy

from fusion import choose_cautious_threshold, fit_fusion, fuse, to_log_odds
from metrics import to_ece, to_probability, to_rates


def make_scores(seed, count=20000, strengths=(1.0, 0.3)):
    """Two detectors whose errors are independent, on scales of their own."""
    rng = numpy.random.default_rng(seed)
    is_artificial = rng.random(count) < 0.5
    side = numpy.where(is_artificial, 1.0, -1.0)
    columns = [strength * side + rng.normal(0, 1, count) for strength in strengths]
    return numpy.stack(columns, axis=1) * (3.0, 0.5), is_artificial, numpy.full(count, 1 / count)


class Fusion(unittest.TestCase):
    def test_the_mean_of_log_odds(self):
        fused = fuse(numpy.array([[1.0, 3.0], [0.0, -2.0]]), numpy.array([1.0, 3.0]))
        self.assertEqual(fused.tolist(), [2.5, -1.5])

    def test_fitted_on_some_it_is_calibrated_on_others(self):
        lines, weights, stretch = fit_fusion(*make_scores(1))
        logits, is_artificial, shares = make_scores(2)
        probabilities = to_probability(fuse(to_log_odds(logits, lines), weights))
        self.assertLess(to_ece(probabilities, is_artificial, shares), 0.02)
        self.assertGreater(weights[0], weights[1] * 0.8)
        self.assertGreater(stretch, 1.0)

    def test_caution_holds_in_every_tier(self):
        tiers = []
        for seed in (3, 4):
            logits, is_artificial, shares = make_scores(seed)
            tiers.append((to_probability(logits[:, 0]), is_artificial, shares))
        threshold = choose_cautious_threshold(tiers)
        for tier in tiers:
            self.assertLessEqual(to_rates(*tier, threshold)[1], 0.01)


if __name__ == "__main__":
    unittest.main()
