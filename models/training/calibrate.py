"""Stage 3: fits calibration and thresholds on the calibration fold, whose sources were not trained on."""

import argparse
import json
from pathlib import Path

import numpy

from metrics import find_threshold, fit_platt, measure_band, to_probability
from scoring import load_all, score_tier
from splits import CALIBRATION_FOLD
from tiers import TIERS

CALIBRATION_FILE = "calibration.json"
CAUTIOUS_FALSE_ALARM_RATE = 0.01
DECIDED_ACCURACY_TARGET = 0.8
COVERAGE_MIN = 0.5
BAND_HIGHS = numpy.arange(0.52, 0.96, 0.01)


def choose_cautious_threshold(tier_scores, slope, intercept):
    """Returns the highest of the tiers' thresholds: caution has to hold in each."""
    return max(
        find_threshold(
            to_probability(slope * scores.logits + intercept),
            scores.is_artificial, scores.weights, CAUTIOUS_FALSE_ALARM_RATE,
        )
        for scores in tier_scores
    )


def choose_band(probabilities, is_artificial, weights):
    """Returns (low, high), symmetric about a half: the narrowest band outside of which the
    target accuracy is reached, but never so wide that more than half of the pictures fall inside."""
    best = (0.48, 0.52)
    for high in BAND_HIGHS:
        band = {"inconclusiveLow": 1 - high, "inconclusiveHigh": high}
        result = measure_band(probabilities, is_artificial, weights, band)
        if not result["coverage"] >= COVERAGE_MIN:
            break
        best = (round(1 - float(high), 2), round(float(high), 2))
        if result["balancedAccuracyDecided"] >= DECIDED_ACCURACY_TARGET:
            break
    return best


def calibrate(work_folder):
    network, trained, collection = load_all(work_folder)
    tier_scores = [score_tier(network, collection, CALIBRATION_FOLD, tier) for tier in TIERS]
    logits = numpy.concatenate([scores.logits for scores in tier_scores])
    is_artificial = numpy.concatenate([scores.is_artificial for scores in tier_scores])
    weights = numpy.concatenate([scores.weights for scores in tier_scores])
    slope, intercept = fit_platt(logits, is_artificial, weights)
    low, high = choose_band(to_probability(slope * logits + intercept), is_artificial, weights)
    result = {
        "slope": round(slope, 6), "intercept": round(intercept, 6),
        "cautiousThreshold": round(choose_cautious_threshold(tier_scores, slope, intercept), 6),
        "inconclusiveLow": low, "inconclusiveHigh": high,
        "set": f"fold-{CALIBRATION_FOLD}-{collection.sha256[:12]}",
        "images": len(tier_scores[0].crops), "sources": len(set(tier_scores[0].sources)),
        "perTier": {
            tier.name: fit_platt(scores.logits, scores.is_artificial, scores.weights)
            for tier, scores in zip(TIERS, tier_scores)
        },
        "trained": trained,
    }
    (work_folder / CALIBRATION_FILE).write_text(json.dumps(result, indent=2), encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    calibrate(parser.parse_args().work)
