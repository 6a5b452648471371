"""Stage 5: fits calibrations and bounds from the left-out scores of whole pictures, in every tier.

One set for what is shipped, from all folds; and one for each fold from the other four, so that the fold
itself measures packs that know nothing of it.
"""

import argparse
import json
from pathlib import Path

import numpy

from crops import CropCollection
from decisions import choose_band, choose_cautious_threshold
from metrics import fit_platt, to_auc, to_probability, to_tpr_at_fpr
from splits import ALL_FOLDS
from texture import is_refused
from tiers import TIERS
from validate import SCORES_FILE
from weights import weigh
from whole import read_pictures

CALIBRATION_FILE = "calibration.json"
CAUTIOUS_FALSE_ALARM_RATE = 0.0075
"""Three quarters of the promised 1 %: a rate found on some sources is exceeded on others."""
LINE_DIGITS = 6


class ScoredPictures:
    """Whole pictures that are not refused, with the scores of detectors that had not seen their sources."""

    def __init__(self, work_folder):
        scores = numpy.load(work_folder / SCORES_FILE.format("whole"))
        rows = [
            (picture, score) for picture, score in zip(read_pictures(work_folder, "whole"), scores) if not is_refused(picture.texture)
        ]
        self.tiers = numpy.array([picture.tier for picture, _ in rows])
        self.folds = numpy.array([picture.fold for picture, _ in rows])
        self.is_artificial = numpy.array([picture.is_artificial for picture, _ in rows])
        self.sources = numpy.array([f"{picture.label}/{picture.source}" for picture, _ in rows])
        self.scores = numpy.array([score for _, score in rows])

    def take(self, folds, tier):
        """Returns (scores, labels, weights) of one tier."""
        rows = numpy.isin(self.folds, folds) & (self.tiers == tier)
        labels = self.is_artificial[rows]
        return self.scores[rows], labels, weigh(self.sources[rows], labels)


def fit(scored, folds):
    tiers = [scored.take(folds, tier.name) for tier in TIERS]
    scores, labels, weights = (numpy.concatenate(parts) for parts in zip(*tiers))
    slope, intercept = fit_platt(scores, labels, weights)
    line = [round(value, LINE_DIGITS) for value in (slope, intercept)]
    # What is refused may differ between tiers, so each brings its own pictures.
    stated = [(to_probability(line[0] * part + line[1]), *rest) for part, *rest in tiers]
    threshold = choose_cautious_threshold(stated, CAUTIOUS_FALSE_ALARM_RATE)
    low, high = choose_band(*(numpy.concatenate(parts) for parts in zip(*stated)))
    # Rounded up: at the threshold itself lies a human picture.
    return {
        "line": line, "cautiousThreshold": round(threshold + 5e-7, LINE_DIGITS),
        "inconclusiveLow": low, "inconclusiveHigh": high,
    }


def calibrate(work_folder):
    scored = ScoredPictures(work_folder)
    result = {
        "all": fit(scored, ALL_FOLDS),
        "leftOut": {str(fold): fit(scored, [other for other in ALL_FOLDS if other != fold]) for fold in ALL_FOLDS},
        "set": f"whole-{CropCollection(work_folder).sha256[:12]}",
    }
    (work_folder / CALIBRATION_FILE).write_text(json.dumps(result, indent=2), encoding="utf-8")
    print(json.dumps(result, indent=2))
    for tier in TIERS:
        scores, labels, weights = scored.take(ALL_FOLDS, tier.name)
        found = to_tpr_at_fpr(scores, labels, weights, 0.05)
        print(f"{tier.name}: {len(scores)} pictures, AUC {to_auc(scores, labels, weights):.3f}, found at 5 % {found:.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    calibrate(parser.parse_args().work)
