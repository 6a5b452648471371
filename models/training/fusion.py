"""Owns the appliance's fusion rule and the fitting of what it needs: calibrations, weights, bounds. Pure."""

import numpy

from decisions import to_bounds
from metrics import fit_platt, to_probability

CAUTIOUS_FALSE_ALARM_RATE = 0.0075
"""Three quarters of the promised 1 %: a rate found on some sources is exceeded on others."""


def fuse(log_odds, weights):
    """The appliance's rule: the weighted mean of calibrated log-odds. `log_odds` is [N, detectors]."""
    return log_odds @ weights / weights.sum()


def to_log_odds(logits, lines):
    """Calibrates each detector's column by its (slope, intercept)."""
    slopes, intercepts = numpy.array(lines).T
    return logits * slopes + intercepts


def fit_fusion(logits, is_artificial, weights):
    """Returns (lines per detector, weights per detector) such that the fused log-odds are calibrated.

    Each detector is calibrated alone and weighs the same: weights fitted on one fold
    swing from .1 to .6 and cost more on the next fold than they gain. Then all lines
    are stretched alike, for a mean of two opinions that partly agree by chance is
    more timid than it has cause to be.
    """
    lines = [fit_platt(column, is_artificial, weights) for column in logits.T]
    shares = numpy.full(len(lines), 1 / len(lines))
    slope, intercept = fit_platt(fuse(to_log_odds(logits, lines), shares), is_artificial, weights)
    stretched = [(slope * line[0], slope * line[1] + intercept) for line in lines]
    return stretched, shares, slope


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
