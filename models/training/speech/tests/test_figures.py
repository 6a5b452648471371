"""The calibration finds a floor where there is one, and states what is true on other clips."""

import sys
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).parent.parent))

from figures import fit_calibration, to_log_odds  # noqa: E402

UNHEARD = 0.2
"""Of the clips with the lowest scores so many are artificial all the same."""


def make_scores(seed, count=20_000):
    rng = numpy.random.default_rng(seed)
    logits = rng.normal(0, 2, count)
    truth = UNHEARD + (1 - UNHEARD) / (1 + numpy.exp(-1.5 * logits + 0.5))
    scores = numpy.stack([logits, numpy.zeros(count), numpy.zeros(count)], axis=1)
    return scores, rng.random(count) < truth, truth


class Calibration(unittest.TestCase):
    def test_what_is_not_heard_is_not_excluded(self):
        scores, is_artificial, _ = make_scores(1)
        calibration = fit_calibration(scores, is_artificial, numpy.ones(len(scores)))
        self.assertAlmostEqual(calibration["floor"], UNHEARD, delta=0.03)
        others, _, truth = make_scores(2)
        stated = 1 / (1 + numpy.exp(-to_log_odds(others, calibration)))
        self.assertLess(numpy.abs(stated - truth).max(), 0.04)
        self.assertGreaterEqual(stated.min(), calibration["floor"] - 1e-9)

    def test_without_a_floor_it_is_the_line(self):
        calibration = {"slope": 2.0, "slopeNarrow": 0.5, "interceptNarrow": -1.0, "intercept": 0.25, "floor": 0.0}
        log_odds = to_log_odds(numpy.array([[1.0, 0.4, 0.4], [-3.0, 0.0, 0.0]]), calibration)
        numpy.testing.assert_allclose(log_odds, [2.05, -5.75], atol=1e-6)


if __name__ == "__main__":
    unittest.main()
