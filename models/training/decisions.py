"""Owns where a probability begins to mean something: the cautious threshold and the inconclusive band. Pure."""

import numpy

from metrics import find_threshold

BAND_ERROR_RATE = 0.1
"""Of each label: so many human media at most are called artificial, and so many artificial ones human."""
PERCENT = 100


def choose_cautious_threshold(tiers, false_alarm_rate):
    """Returns the highest of the tiers' thresholds: caution has to hold in each.

    `tiers` are triples (probabilities, is_artificial, weights).
    """
    return max(find_threshold(*tier, false_alarm_rate) for tier in tiers)


def choose_band(probabilities, is_artificial, weights):
    """Returns (low, high) by class-conditional conformal prediction, to whole per cent, outwards.

    A probability is decided where it is as extreme as at most BAND_ERROR_RATE of the
    other label's left-out media, so the promise holds for each label by itself and not
    only for their mixture; all between is inconclusive.
    """
    low = to_quantile(probabilities[is_artificial], weights[is_artificial], BAND_ERROR_RATE)
    high = to_quantile(probabilities[~is_artificial], weights[~is_artificial], 1 - BAND_ERROR_RATE)
    return (
        float(numpy.floor(min(low, 0.49) * PERCENT) / PERCENT),
        float(numpy.ceil(max(high, 0.51) * PERCENT) / PERCENT),
    )


def to_quantile(values, weights, share):
    """Returns the least value that at least this share of the weight does not exceed."""
    order = numpy.argsort(values)
    reached = numpy.cumsum(weights[order]) >= share * weights.sum()
    return float(values[order][numpy.argmax(reached)])


def to_bounds(by_tier, is_artificial, weights, false_alarm_rate):
    """Returns threshold and band from the probabilities of the same media in several tiers, as model.json has them."""
    repeated = len(by_tier)
    low, high = choose_band(
        numpy.concatenate(by_tier), numpy.tile(is_artificial, repeated), numpy.tile(weights, repeated)
    )
    tiers = [(probabilities, is_artificial, weights) for probabilities in by_tier]
    return {
        "cautiousThreshold": choose_cautious_threshold(tiers, false_alarm_rate),
        "inconclusiveLow": low, "inconclusiveHigh": high,
    }
