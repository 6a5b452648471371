"""Owns the appliance's fusion rule and the fitting of what it needs: calibrations, weights, thresholds. Pure."""

import numpy

from metrics import find_threshold, fit_platt, measure_band, to_probability

CAUTIOUS_FALSE_ALARM_RATE = 0.01
DECIDED_ACCURACY_TARGET = 0.8
COVERAGE_MIN = 0.5
BAND_HIGHS = numpy.arange(0.52, 0.96, 0.01)
WEIGHTS_TRIED = numpy.arange(0.0, 1.01, 0.1)
WEIGHT_MIN = 0.1
"""A detector that is shipped has a say, or it should not be shipped."""


def fuse(log_odds, weights):
    """The appliance's rule: the weighted mean of calibrated log-odds. `log_odds` is [N, detectors]."""
    return log_odds @ weights / weights.sum()


def to_log_odds(logits, lines):
    """Calibrates each detector's column by its (slope, intercept)."""
    slopes, intercepts = numpy.array(lines).T
    return logits * slopes + intercepts


def to_loss(log_odds, is_artificial, weights):
    """Weighted cross-entropy in nats."""
    signed = numpy.where(is_artificial, log_odds, -log_odds)
    return float((weights * numpy.logaddexp(0, -signed)).sum() / weights.sum())


def fit_fusion(logits, is_artificial, weights):
    """Returns (lines per detector, weights per detector) such that the fused log-odds are calibrated.

    Each detector is calibrated alone; the weights are those of least cross-entropy;
    then all lines are stretched alike, for a mean of two opinions that partly agree by
    chance is more timid than it has cause to be.
    """
    lines = [fit_platt(column, is_artificial, weights) for column in logits.T]
    log_odds = to_log_odds(logits, lines)
    tried = []
    for share in WEIGHTS_TRIED:
        shares = numpy.clip([share, 1 - share], WEIGHT_MIN, 1)
        fused = fuse(log_odds, shares)
        slope, intercept = fit_platt(fused, is_artificial, weights)
        tried.append((to_loss(slope * fused + intercept, is_artificial, weights), share, shares, slope, intercept))
    _, _, shares, slope, intercept = min(tried, key=lambda entry: entry[0])
    stretched = [(slope * line[0], slope * line[1] + intercept) for line in lines]
    return stretched, shares / shares.sum(), slope


def choose_cautious_threshold(tiers):
    """Returns the highest of the tiers' thresholds: caution has to hold in each.

    `tiers` are triples (probabilities, is_artificial, weights).
    """
    return max(find_threshold(*tier, CAUTIOUS_FALSE_ALARM_RATE) for tier in tiers)


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


def fit_decision(tiers):
    """Returns everything the appliance needs, fitted on `tiers`: triples (logits, is_artificial, weights)."""
    logits, is_artificial, weights = (numpy.concatenate(parts) for parts in zip(*tiers))
    lines, shares, stretch = fit_fusion(logits, is_artificial, weights)

    def to_fused(part):
        return to_probability(fuse(to_log_odds(part, lines), shares))

    low, high = choose_band(to_fused(logits), is_artificial, weights)
    return {
        "lines": [[float(value) for value in line] for line in lines],
        "weights": [float(share) for share in shares], "stretch": float(stretch),
        "cautiousThreshold": choose_cautious_threshold([(to_fused(part), *rest) for part, *rest in tiers]),
        "inconclusiveLow": low, "inconclusiveHigh": high,
    }
