"""Owns the honest figure: swapped frames against the frames that they were made from, persons drawn again."""

import numpy

from metrics import to_auc, to_brier, to_ece, to_interval, to_probability
from sources import FAMILIES_FILE, find_name, read_patterns

REPLICATE_COUNT = 1000


def measure_pairs(portraits, log_odds, judged, seed=1):
    """Returns AUC and its interval, the share of pairs told the right way round, and calibration.

    A draw takes families whole: swaps to one person are not independent.
    """
    patterns = read_patterns(FAMILIES_FILE)
    rows = numpy.nonzero(portraits.is_paired & judged)[0]
    is_artificial, scores = portraits.is_artificial[rows], log_odds[rows]
    names = [portraits.faces[row].source for row in rows]
    families = numpy.array([find_name(name, patterns, name) for name in names])
    order = numpy.unique(families)
    rng, drawn = numpy.random.default_rng(seed), []
    for _ in range(REPLICATE_COUNT):
        members = numpy.concatenate([numpy.nonzero(families == name)[0] for name in rng.choice(order, len(order))])
        drawn.append(to_auc(scores[members], is_artificial[members], numpy.ones(len(members))))
    ones = numpy.ones(len(rows))
    probabilities = to_probability(scores)
    won = [
        scores[index] > scores[other]
        for index, name in enumerate(names) for other, twin in enumerate(names)
        if name == twin and is_artificial[index] and not is_artificial[other]
    ]
    return {
        "auc": to_auc(scores, is_artificial, ones), "interval": to_interval(drawn), "pairs": len(won),
        "won": float(numpy.mean(won)), "persons": len(order),
        "ece": to_ece(probabilities, is_artificial, ones), "brier": to_brier(probabilities, is_artificial, ones),
    }
