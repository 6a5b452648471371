"""Owns the error rates of the appliance's four heuristics, each by the rule of src/domain/verdicts/heuristics.ts. Pure."""

import numpy

from metrics import draw_sources, to_interval, to_probability, to_rates


def to_calls(single, fused, bounds):
    """Returns {heuristic: whether each medium is called artificial}, from log-odds [N, models] and fused [N]."""
    return {
        "balanced": to_probability(fused) >= bounds["inconclusiveHigh"],
        "cautious": to_probability(fused) >= bounds["cautiousThreshold"],
        "sensitive": single.max(axis=1) >= 0,
        "majority": 2 * (single >= 0).sum(axis=1) > single.shape[1],
    }


def measure_heuristics(calls, is_artificial, weights, sources):
    """Returns per heuristic recall and false alarms with their 95 % intervals over sources."""
    scores = {name: called.astype(float) for name, called in calls.items()}
    drawn = {name: [] for name in scores}
    for kept, chosen in draw_sources(is_artificial, weights, sources):
        for name, score in scores.items():
            drawn[name].append(to_rates(score[kept], is_artificial[kept], chosen, 0.5))
    result = {}
    for name, score in scores.items():
        recall, false_alarms = to_rates(score, is_artificial, weights, 0.5)
        recalls, alarms = numpy.array(drawn[name]).T
        result[name] = {
            "recall": recall, "recallInterval": to_interval(recalls),
            "falseAlarms": false_alarms, "falseAlarmsInterval": to_interval(alarms),
        }
    return result


def measure_flips(before, after, decision, weights):
    """Returns (share of media decided in both, share of those whose side differs), from probabilities of two tiers."""
    low, high = decision["inconclusiveLow"], decision["inconclusiveHigh"]
    sides = [numpy.where(part > high, 1, numpy.where(part < low, -1, 0)) for part in (before, after)]
    decided = (sides[0] != 0) & (sides[1] != 0)
    flipped = decided & (sides[0] != sides[1])
    return float(weights[decided].sum() / weights.sum()), float(weights[flipped].sum() / weights[decided].sum())
