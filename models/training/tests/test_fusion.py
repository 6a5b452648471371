"""The fusion is calibrated, prefers the better detector, and keeps its false alarms."""

import unittest

import numpy

from decisions import choose_band, choose_cautious_threshold
from fusion import fit_fusion, fuse, to_log_odds
from heuristics import measure_flips, to_calls
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
        self.assertGreater(stretch, 1.0)

    def test_caution_holds_in_every_tier(self):
        tiers = []
        for seed in (3, 4):
            logits, is_artificial, shares = make_scores(seed)
            tiers.append((to_probability(logits[:, 0]), is_artificial, shares))
        threshold = choose_cautious_threshold(tiers, 0.01)
        for tier in tiers:
            self.assertLessEqual(to_rates(*tier, threshold)[1], 0.01)

    def test_the_band_keeps_its_promise_to_each_label_of_others(self):
        logits, is_artificial, shares = make_scores(5)
        low, high = choose_band(to_probability(logits[:, 0]), is_artificial, shares)
        others, labels, _ = make_scores(6)
        probabilities = to_probability(others[:, 0])
        self.assertLess((probabilities[~labels] > high).mean(), 0.11)
        self.assertLess((probabilities[labels] < low).mean(), 0.11)
        self.assertGreater(((probabilities < low) | (probabilities > high)).mean(), 0.3)


class Heuristics(unittest.TestCase):
    def test_each_follows_its_rule(self):
        single = numpy.array([[2.0, -1.0], [0.5, 0.5], [-1.0, -2.0], [4.0, 4.0]])
        calls = to_calls(single, single.mean(axis=1), 0.9)
        self.assertEqual(calls["balanced"].tolist(), [True, True, False, True])
        self.assertEqual(calls["cautious"].tolist(), [False, False, False, True])
        self.assertEqual(calls["sensitive"].tolist(), [True, True, False, True])
        self.assertEqual(calls["majority"].tolist(), [False, True, False, True])

    def test_only_verdicts_that_are_decided_twice_can_flip(self):
        before, after = numpy.array([0.9, 0.9, 0.1, 0.5]), numpy.array([0.8, 0.1, 0.5, 0.9])
        band = {"inconclusiveLow": 0.3, "inconclusiveHigh": 0.7}
        self.assertEqual(measure_flips(before, after, band, numpy.ones(4)), (0.5, 0.5))


if __name__ == "__main__":
    unittest.main()
