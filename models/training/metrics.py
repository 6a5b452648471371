"""Owns the figures: pure functions of scores, labels and weights.

All are weighted, so that a source with 250 pictures does not decide alone, and
intervals come from drawing sources again, not pictures: pictures of one source
are not independent.
"""

import numpy

BIN_COUNT = 10
REPLICATE_COUNT = 1000
LOG_ODDS_MAX = 30.0


def to_probability(log_odds):
    return 1 / (1 + numpy.exp(-numpy.clip(log_odds, -LOG_ODDS_MAX, LOG_ODDS_MAX)))


def fit_platt(logits, is_artificial, weights, iteration_count=50):
    """Returns (slope, intercept) of the weighted logistic regression by Newton's method.

    Fitted in units of the logits' deviation: from a slope of one, the method runs away on logits of a size of ten.
    """
    scale = float(numpy.std(logits)) or 1.0
    units = numpy.asarray(logits, dtype=float) / scale
    design = numpy.stack([units, numpy.ones_like(units)], axis=1)
    parameters = numpy.array([1.0, 0.0])
    for _ in range(iteration_count):
        probability = to_probability(design @ parameters)
        gradient = design.T @ (weights * (probability - is_artificial))
        curvature = (design * (weights * probability * (1 - probability))[:, None]).T @ design
        parameters = parameters - numpy.linalg.solve(curvature + 1e-9 * numpy.eye(2), gradient)
    return float(parameters[0]) / scale, float(parameters[1])


def to_auc(scores, is_artificial, weights):
    """Probability that an artificial picture scores above a human one; ties count half."""
    values, inverse = numpy.unique(scores, return_inverse=True)
    artificial = numpy.bincount(inverse, weights * is_artificial, len(values))
    human = numpy.bincount(inverse, weights * ~is_artificial, len(values))
    below = numpy.cumsum(human) - human
    return float((artificial * (below + human / 2)).sum() / (artificial.sum() * human.sum()))


def to_rates(scores, is_artificial, weights, threshold):
    """Returns (recall, false alarm rate) when scores at or above the threshold are called artificial."""
    called = scores >= threshold
    recall = weights[called & is_artificial].sum() / weights[is_artificial].sum()
    false_alarms = weights[called & ~is_artificial].sum() / weights[~is_artificial].sum()
    return float(recall), float(false_alarms)


def find_threshold(scores, is_artificial, weights, false_alarm_rate_max):
    """Returns the lowest threshold just above a human score that keeps the false alarm rate."""
    order = numpy.argsort(-scores[~is_artificial])
    human_scores = scores[~is_artificial][order]
    share = numpy.cumsum(weights[~is_artificial][order]) / weights[~is_artificial].sum()
    over = numpy.nonzero(share > false_alarm_rate_max)[0]
    return float(numpy.nextafter(human_scores[over[0]], numpy.inf))


def to_tpr_at_fpr(scores, is_artificial, weights, false_alarm_rate_max):
    threshold = find_threshold(scores, is_artificial, weights, false_alarm_rate_max)
    return to_rates(scores, is_artificial, weights, threshold)[0]


def to_ece(probabilities, is_artificial, weights):
    """Expected calibration error over equal bins of probability."""
    bins = numpy.minimum((probabilities * BIN_COUNT).astype(int), BIN_COUNT - 1)
    stated = numpy.bincount(bins, weights * probabilities, BIN_COUNT)
    observed = numpy.bincount(bins, weights * is_artificial, BIN_COUNT)
    return float(numpy.abs(stated - observed).sum() / weights.sum())


def to_brier(probabilities, is_artificial, weights):
    """Mean squared error of the stated probability."""
    return float((weights * (probabilities - is_artificial) ** 2).sum() / weights.sum())


def to_cllr(probabilities, is_artificial, weights):
    """Cost of the log-likelihood ratio in bits, both labels alike: 0 is perfect, 1 says nothing."""
    likelihoods = numpy.where(is_artificial, probabilities, 1 - probabilities)
    bits = -numpy.log2(numpy.maximum(likelihoods, numpy.exp(-LOG_ODDS_MAX)))
    return float(sum(
        numpy.average(bits[is_artificial == label], weights=weights[is_artificial == label]) for label in (False, True)
    ) / 2)


def measure(probabilities, is_artificial, weights, decision):
    """Returns every figure of a tier by its name in model.json, and those of the inconclusive band.

    The decision's values may be arrays: pictures of different rounds have different thresholds.
    """
    recall, false_alarms = to_rates(probabilities, is_artificial, weights, decision["inconclusiveHigh"])
    cautious = to_rates(probabilities, is_artificial, weights, decision["cautiousThreshold"])
    return {
        "auc": to_auc(probabilities, is_artificial, weights),
        "balancedAccuracy": (recall + 1 - false_alarms) / 2,
        "tprAtFpr5": to_tpr_at_fpr(probabilities, is_artificial, weights, 0.05),
        "tprAtFpr1": to_tpr_at_fpr(probabilities, is_artificial, weights, 0.01),
        "ece": to_ece(probabilities, is_artificial, weights),
        "brier": to_brier(probabilities, is_artificial, weights),
        "cllr": to_cllr(probabilities, is_artificial, weights),
        "falseAlarmRateBalanced": false_alarms,
        "falseAlarmRateCautious": cautious[1],
        "recallCautious": cautious[0],
        **measure_band(probabilities, is_artificial, weights, decision),
    }


def measure_band(probabilities, is_artificial, weights, decision):
    """Returns how much lies outside the inconclusive band and how well it is told there."""
    low, high = decision["inconclusiveLow"], decision["inconclusiveHigh"]
    decided = (probabilities < low) | (probabilities > high)
    coverage = weights[decided].sum() / weights.sum()
    sides = [weights[decided & (is_artificial == side)].sum() for side in (False, True)]
    if min(sides) == 0:
        return {"coverage": float(coverage), "balancedAccuracyDecided": float("nan")}
    recall, false_alarms = to_rates(
        probabilities[decided], is_artificial[decided], weights[decided], 0.5
    )
    return {"coverage": float(coverage), "balancedAccuracyDecided": (recall + 1 - false_alarms) / 2}


def draw_sources(is_artificial, weights, sources, seed=1, count=REPLICATE_COUNT):
    """Yields (rows kept, their weights): sources drawn again within each label, labels weighing the same."""
    rng = numpy.random.default_rng(seed)
    names, inverse = numpy.unique(sources, return_inverse=True)
    label_of = numpy.zeros(len(names), dtype=bool)
    label_of[inverse] = is_artificial
    for _ in range(count):
        multiplicity = numpy.zeros(len(names))
        for label in (False, True):
            members = numpy.nonzero(label_of == label)[0]
            multiplicity += numpy.bincount(rng.choice(members, len(members)), minlength=len(names))
        kept = multiplicity[inverse] > 0
        drawn_weights = (weights * multiplicity[inverse])[kept]
        for label in (False, True):
            mask = is_artificial[kept] == label
            drawn_weights[mask] *= 0.5 / drawn_weights[mask].sum()
        yield kept, drawn_weights


def to_interval(values):
    return tuple(float(value) for value in numpy.nanpercentile(values, (2.5, 97.5)))


def bootstrap(probabilities, is_artificial, weights, sources, decision):
    """Returns {figure: (low, high)}, 95 % intervals over sources."""
    replicates = [
        measure(probabilities[kept], is_artificial[kept], drawn, take_rows(decision, kept))
        for kept, drawn in draw_sources(is_artificial, weights, sources)
    ]
    return {name: to_interval([replicate[name] for replicate in replicates]) for name in replicates[0]}


def take_rows(decision, rows):
    return {name: value[rows] if isinstance(value, numpy.ndarray) else value for name, value in decision.items()}


def compare_auc(before, after, is_artificial, weights, sources):
    """Returns (change of the AUC from one scoring of the same pictures to another, its interval)."""
    change = to_auc(after, is_artificial, weights) - to_auc(before, is_artificial, weights)
    drawn = [
        to_auc(after[kept], is_artificial[kept], chosen) - to_auc(before[kept], is_artificial[kept], chosen)
        for kept, chosen in draw_sources(is_artificial, weights, sources)
    ]
    return change, to_interval(drawn)


def bootstrap_auc(scores, is_artificial, weights, sources):
    """Returns the 95 % interval of the AUC, drawing sources again."""
    return to_interval([
        to_auc(scores[kept], is_artificial[kept], drawn) for kept, drawn in draw_sources(is_artificial, weights, sources)
    ])
