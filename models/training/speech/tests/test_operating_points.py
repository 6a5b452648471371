"""The calibration finds a floor where there is one, bounds keep their order, and no owner chooses what it is judged by."""

import sys
import unittest
from pathlib import Path
from types import SimpleNamespace

import numpy

sys.path.insert(0, str(Path(__file__).parent.parent))

from calibration import fit_calibration, to_log_odds  # noqa: E402
from golden import make_golden_windows  # noqa: E402
from operating_points import Corpus, Fit, decide_left_out  # noqa: E402
from parity import make_windows  # noqa: E402

UNHEARD = 0.2
"""Of the clips with the lowest scores so many are artificial all the same."""


def make_scores(seed, count=20_000):
    rng = numpy.random.default_rng(seed)
    logits = rng.normal(0, 2, count)
    truth = UNHEARD + (1 - UNHEARD) / (1 + numpy.exp(-1.5 * logits + 0.5))
    return logits, rng.random(count) < truth, truth


class Calibration(unittest.TestCase):
    def test_what_is_not_heard_is_not_excluded(self):
        logits, is_artificial, _ = make_scores(1)
        calibration = fit_calibration(logits, is_artificial, numpy.ones(len(logits)))
        self.assertAlmostEqual(calibration["floor"], UNHEARD, delta=0.03)
        others, _, truth = make_scores(2)
        stated = 1 / (1 + numpy.exp(-to_log_odds(others, calibration)))
        self.assertLess(numpy.abs(stated - truth).max(), 0.04)
        self.assertGreaterEqual(stated.min(), calibration["floor"] - 1e-9)

    def test_without_a_floor_it_is_the_line(self):
        numpy.testing.assert_allclose(to_log_odds([1.0, -3.0], {"slope": 2.0, "intercept": 0.25, "floor": 0.0}), [2.25, -5.75], atol=1e-6)


def make_corpus(owners=240, files=3):
    rng = numpy.random.default_rng(4)
    names = numpy.repeat([f"{'artificial' if number % 2 else 'human'}/owner-{number}" for number in range(owners)], files)
    labels = numpy.array([name.startswith("artificial") for name in names])
    recorded = SimpleNamespace(
        tiers=numpy.arange(len(names)) % 3, is_artificial=labels, owners=names, sources=names,
        seconds=rng.uniform(1, 9, len(names)), files=[f"audio/{number}" for number in range(len(names))],
    )
    logits = rng.normal(numpy.where(labels, 1.5, -1.5), 1.5)
    return Corpus(recorded, logits, rng.uniform(-80, -20, len(names)), numpy.full(len(names), "unknown"))


class OperatingPoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.corpus = make_corpus()

    def test_little_speech_never_has_narrower_bounds(self):
        fit = Fit(self.corpus, numpy.arange(len(self.corpus.files)))
        for bounds in (fit.bounds, fit.short_bounds, fit.narrow_bounds):
            self.assertLess(bounds["inconclusiveLow"], bounds["inconclusiveHigh"])
            self.assertGreaterEqual(bounds["cautiousThreshold"], bounds["inconclusiveHigh"])
        self.assertGreaterEqual(fit.short_bounds["cautiousThreshold"], fit.bounds["cautiousThreshold"])

    def test_an_owner_does_not_choose_what_it_is_judged_by(self):
        before, bounds = decide_left_out(self.corpus)
        own = self.corpus.folds == 0
        changed = make_corpus()
        changed.logits[own & ~changed.is_artificial] += 6
        _, after = decide_left_out(changed)
        self.assertEqual(len(before), len(self.corpus.files))
        for name, values in bounds.items():
            numpy.testing.assert_array_equal(values[own], after[name][own])
        self.assertFalse(numpy.array_equal(bounds["inconclusiveHigh"][~own], after["inconclusiveHigh"][~own]))

    def test_a_row_that_no_network_left_out_is_dropped(self):
        recorded = SimpleNamespace(**{name: getattr(self.corpus, name) for name in ("tiers", "is_artificial", "owners", "sources", "seconds", "files")})
        logits = self.corpus.logits.copy()
        logits[5] = numpy.nan
        kept = Corpus(recorded, logits, self.corpus.bands, self.corpus.languages)
        self.assertEqual(len(kept.files), len(self.corpus.files) - 1)
        self.assertNotIn("audio/5", kept.files)


class Windows(unittest.TestCase):
    def test_a_short_stretch_is_repeated(self):
        described, windows = make_windows(32_000)
        length = described["ranges"][-1]["length"]
        self.assertEqual(windows.shape, (len(described["ranges"]), 32_000))
        self.assertTrue((windows[-1][length:] == windows[-1][: 32_000 - length]).all())

    def test_golden_windows_are_those_of_the_rule(self):
        expected = 0.1 * numpy.sin(0.05 * 2 * 3) + 0.05 * (((3 * 1_103_515_245 + 12_345 * 2) % 2**31) / 2**30 - 1)
        self.assertAlmostEqual(float(make_golden_windows(32_000)[1, 3]), expected, places=7)


if __name__ == "__main__":
    unittest.main()
