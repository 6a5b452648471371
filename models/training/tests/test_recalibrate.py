"""Calibration and bounds from left-out scores (recalibrate.py)."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy

from corpus_card import describe_decision
from recalibrate import measure_tiers
from scored import Scored, bound_owners, wilson
from tiers import CONFOUNDS, TIERS


def write_scores(path, count=200, refused=()):
    """Human scores around -1, artificial ones around 1; two sources an owner."""
    rng = numpy.random.default_rng(3)
    lines = []
    for index in range(count):
        label = "artificial" if index % 2 else "human"
        score = float(rng.normal(1 if index % 2 else -1))
        tiers = {tier.name: {"now": None if index in refused else score + float(rng.normal(0, 0.1))} for tier in (*TIERS, *CONFOUNDS)}
        lines.append({
            "label": label, "source": f"source-{index}", "owner": f"owner-{index // 4}-{label}", "group": "", "family": "any",
            "file": f"{index}.png", "tiers": tiers,
        })
    path.write_text("\n".join(json.dumps(line) for line in lines))


class Recalibrate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "scores.jsonl"

    def test_no_human_picture_reaches_the_threshold_of_caution_and_few_lie_beyond_the_band(self):
        write_scores(self.path)
        scored = Scored([self.path])
        fitted = scored.fit(numpy.ones(len(scored.rows), dtype=bool))
        decided = scored.decide(fitted)
        for tier in TIERS:
            probabilities, _ = decided[tier.name]
            self.assertLess(probabilities[~scored.labels].max(), fitted["cautiousThreshold"])
            self.assertLessEqual((probabilities[~scored.labels] > fitted["inconclusiveHigh"]).mean(), 0.08)

    def test_each_picture_is_decided_by_what_was_fitted_on_other_owners(self):
        write_scores(self.path)
        scored = Scored([self.path])
        probabilities, decision = scored.decide_left_out()["clean"]
        self.assertGreater(len(set(decision["cautiousThreshold"])), 1)
        owners = {}
        for owner, threshold in zip(scored.owners, decision["cautiousThreshold"]):
            self.assertEqual(owners.setdefault(owner, threshold), threshold)
        self.assertEqual(len(probabilities), len(scored.rows))

    def test_a_picture_refused_in_one_state_is_left_out_and_counted(self):
        write_scores(self.path, refused=(4, 9))
        scored = Scored([self.path])
        self.assertEqual((scored.refused, len(scored.rows)), (2, 198))

    def test_a_bound_counts_owners_and_not_their_pictures(self):
        # Fifty owners of one quiet picture, and one whose hundred pictures all look artificial.
        probabilities = numpy.concatenate([numpy.linspace(0.1, 0.3, 50), numpy.full(100, 0.9)])
        owners = numpy.array([f"quiet-{index}" for index in range(50)] + ["loud"] * 100)
        self.assertLess(bound_owners(probabilities, owners, 0.08), 0.31)
        self.assertGreater(bound_owners(probabilities, owners, 0.01), 0.9, "51 owners promise 1 in 52 at best, by no accusation")

    def test_some_of_the_pictures_weigh_for_themselves(self):
        write_scores(self.path)
        scored = Scored([self.path])
        part = scored.select(~scored.labels | (numpy.arange(len(scored.rows)) < 100))
        self.assertEqual((len(part.rows), (~part.labels).sum(), part.labels.sum()), (150, 100, 50))
        self.assertAlmostEqual(part.weights[part.labels].sum(), 0.5)
        self.assertEqual(len(part.scores["clean"]), 150)

    def test_figures_lie_within_their_intervals(self):
        write_scores(self.path)
        scored = Scored([self.path])
        for tier in measure_tiers(scored, scored.decide_left_out()):
            for name, figure in tier["figures"].items():
                self.assertTrue(figure["low"] - 0.02 <= figure["value"] <= figure["high"] + 0.02, (name, figure))
        low, high = wilson(0.0, 50)
        self.assertTrue(-1e-9 <= low <= 0.001 and 0.05 < high < 0.1)

    def test_the_card_writes_the_line_with_its_sign(self):
        decision = {"cautiousThreshold": 0.864139, "inconclusiveLow": 0.22, "inconclusiveHigh": 0.7}
        for intercept, line in ((-0.044563, "1.074 × score − 0.045"), (0.12, "1.074 × score + 0.120")):
            described = describe_decision({"calibration": {"slope": 1.073956, "intercept": intercept}, "decision": decision})
            self.assertEqual(described, {"line": line, "threshold": "0.864", "low": "0.22", "high": "0.7"})


if __name__ == "__main__":
    unittest.main()
