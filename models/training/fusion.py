"""Owns the appliance's fusion rule and the fitting of what it needs: calibrations, weights, bounds. Pure."""

import numpy

from decisions import to_bounds
from metrics import fit_platt, to_probability

CAUTIOUS_FALSE_ALARM_RATE = 0.01
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


def fit_decision(tiers, is_artificial, weights):
    """Returns everything the appliance needs, fitted on `tiers`: the logits of the same pictures in each."""
    repeated = len(tiers)
    lines, shares, stretch = fit_fusion(
        numpy.concatenate(tiers), numpy.tile(is_artificial, repeated), numpy.tile(weights, repeated)
    )
    by_tier = [to_probability(fuse(to_log_odds(part, lines), shares)) for part in tiers]
    return {
        "lines": [[float(value) for value in line] for line in lines],
        "weights": [float(share) for share in shares], "stretch": float(stretch),
        **to_bounds(by_tier, is_artificial, weights, CAUTIOUS_FALSE_ALARM_RATE),
    }
