"""Stage 6: fits what is shipped: calibrations and weights of all detectors, bounds of each and of the fused result.

The final networks have seen every source, so all comes from scores of the
rounds. Calibration and weights come from the rounds whose network was trained
about as long as the final one, where there are such: longer training spreads
logits wider. Bounds come from all rounds, since they need many human sources.
"""

import argparse
import json
from pathlib import Path

import numpy

from crops import CropCollection
from decisions import to_bounds
from fusion import CAUTIOUS_FALSE_ALARM_RATE, fit_fusion
from metrics import to_probability
from outcome import DETECTORS, QUALITY_TIER_NAMES, Outcome, take_part
from splits import ALL_FOLDS, ROUNDS
from tested import Tested

CALIBRATION_FILE = "calibration.json"
COMPARABLE_SHARE = 0.5


def count_patches(trained):
    return trained["crop_count"] + sum(earlier["crop_count"] for earlier in trained["earlier"])


def find_comparable_folds(trainings):
    """Returns the test folds of the rounds whose training is at least half as long as the final one's."""
    least = COMPARABLE_SHARE * count_patches(trainings["final"])
    folds = [round_.test for round_ in ROUNDS if count_patches(trainings[str(round_.test)]) >= least]
    return tuple(folds) or ALL_FOLDS


def fit_lines(outcome, collection, folds):
    """Returns (lines, weights, stretch) from the tested logits of some folds, all quality tiers together."""
    part = take_part(collection, folds)
    logits = [outcome.read_tested(tier, part, collection) for tier in QUALITY_TIER_NAMES]
    repeated = len(QUALITY_TIER_NAMES)
    return fit_fusion(
        numpy.concatenate(logits), numpy.tile(part.is_artificial, repeated), numpy.tile(part.weights, repeated)
    )


def to_rounded_bounds(part, log_odds_by_tier):
    by_tier = [to_probability(log_odds) for log_odds in log_odds_by_tier]
    bounds = to_bounds(by_tier, part.is_artificial, part.weights, CAUTIOUS_FALSE_ALARM_RATE)
    # Rounded up: at the threshold itself lies a human picture.
    return {**bounds, "cautiousThreshold": round(bounds["cautiousThreshold"] + 5e-7, 6)}


def calibrate(work_folder):
    collection, outcome = CropCollection(work_folder), Outcome(work_folder)
    tested = Tested(outcome, collection)
    folds = find_comparable_folds(outcome.trainings["residual"])
    lines, weights, stretch = fit_lines(outcome, collection, folds)
    result = {
        "lines": [[round(float(value), 6) for value in line] for line in lines],
        "weights": [round(float(weight), 6) for weight in weights], "stretch": float(stretch),
        "together": to_rounded_bounds(tested.part, [tested.fused[tier] for tier in QUALITY_TIER_NAMES]),
        "alone": [
            to_rounded_bounds(tested.part, [tested.single[tier][:, column] for tier in QUALITY_TIER_NAMES])
            for column in range(len(DETECTORS))
        ],
        "folds": list(folds), "set": f"rounds-{collection.sha256[:12]}", "trainings": outcome.trainings,
    }
    (work_folder / CALIBRATION_FILE).write_text(json.dumps(result, indent=2), encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    calibrate(parser.parse_args().work)
