"""Owns out-of-fold scores, their cross-fitted calibration and the figures that follow.

A clip's probability comes from a model that saw neither its fold nor a clip
that shares a speaker or a group with it, calibrated on the other four folds.
"""

import json
import sys
from pathlib import Path

import numpy

from confounds import measure_confounds
from scoring import TIERS, weigh
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from metrics import bootstrap, find_threshold, measure, measure_band, to_auc, to_probability  # noqa: E402

CAUTIOUS_FALSE_ALARM_RATE = 0.005
"""Half of the promised 1 %: a rate found on some sources is exceeded on others."""
DECIDED_ACCURACY_TARGET = 0.85
COVERAGE_MIN = 0.5
NARROW_PENALTY = 1e-2
NEWTON_STEPS = 30
IDENTITY = {"slope": 1.0, "slopeNarrow": 0.0, "interceptNarrow": 0.0, "intercept": 0.0}
BAND_HIGHS = numpy.arange(0.52, 0.96, 0.01)
SOURCE_SIZE_MIN = 3


def to_scores_file(work, key):
    return work / f"scores-{key}.npz"


def load_scores(work, key):
    """Returns {tier name: rows of average_windows for all clips}."""
    with numpy.load(to_scores_file(work, key)) as scores:
        return {name: scores[name] for name in scores.files}


def fit(collection, scores_by_tier, members, is_calibrated=False):
    """Returns calibration and thresholds from the clips of `members`, over the three tiers alike.

    Log-odds that are calibrated already, those of several packs together, keep their scale:
    the appliance does not calibrate again.
    """
    is_artificial, sources = collection.is_artificial[members], collection.sources[members]
    weights = weigh(sources, is_artificial)
    parts = [scores_by_tier[tier.name][members] for tier in TIERS]
    calibration = dict(IDENTITY) if is_calibrated else fit_calibration(
        numpy.concatenate(parts), numpy.tile(is_artificial, len(TIERS)), numpy.tile(weights, len(TIERS))
    )
    probabilities = [to_probability(to_log_odds(part, calibration)) for part in parts]
    threshold = max(
        find_threshold(part, is_artificial, weights, CAUTIOUS_FALSE_ALARM_RATE) for part in probabilities
    )
    low, high = choose_band(
        numpy.concatenate(probabilities), numpy.tile(is_artificial, len(TIERS)), numpy.tile(weights, len(TIERS))
    )
    return {**calibration, "cautiousThreshold": threshold, "inconclusiveLow": low, "inconclusiveHigh": high}


def fit_calibration(scores, is_artificial, weights):
    """Returns the weighted logistic regression on the three columns of average_windows, by Newton's method."""
    design = numpy.concatenate([scores, numpy.ones((len(scores), 1))], axis=1)
    parameters = numpy.array([1.0, 0.0, 0.0, 0.0])
    penalty = numpy.diag([0.0, NARROW_PENALTY, NARROW_PENALTY, 0.0])
    weights = weights / weights.sum()
    for _ in range(NEWTON_STEPS):
        probability = to_probability(design @ parameters)
        gradient = design.T @ (weights * (probability - is_artificial)) + penalty @ parameters
        curvature = (design * (weights * probability * (1 - probability))[:, None]).T @ design
        parameters = parameters - numpy.linalg.solve(curvature + penalty + 1e-9 * numpy.eye(4), gradient)
    return dict(zip(("slope", "slopeNarrow", "interceptNarrow", "intercept"), map(float, parameters)))


def to_log_odds(scores, calibration):
    return (
        calibration["slope"] * scores[:, 0] + calibration["slopeNarrow"] * scores[:, 1]
        + calibration["interceptNarrow"] * scores[:, 2] + calibration["intercept"]
    )


def choose_band(probabilities, is_artificial, weights):
    """Returns (low, high), symmetric about a half: the narrowest band outside of which the
    target accuracy is reached, but never so wide that more than half of the clips fall inside."""
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


def cross_fit(collection, scores_by_tier, joined):
    """Returns ({tier: log-odds}, calibration of each fold): every fold calibrated by the other four.

    `joined` holds the calibrations of the packs whose log-odds these are, if of several together.
    """
    log_odds = {name: numpy.empty(len(scores)) for name, scores in scores_by_tier.items()}
    fitted = []
    for fold in range(FOLD_COUNT):
        fitted.append(fit(collection, scores_by_tier, numpy.nonzero(collection.folds != fold)[0], bool(joined)))
        if joined:
            fitted[-1]["cautiousThreshold"] = max(part[fold]["cautiousThreshold"] for part in joined)
        members = collection.in_fold(fold)
        for name, scores in scores_by_tier.items():
            log_odds[name][members] = to_log_odds(scores[members], fitted[-1])
    return log_odds, fitted


def to_cautious_calls(collection, probabilities, fitted):
    """Returns 1 where a clip lies above the cautious threshold of its own fold, else 0."""
    thresholds = numpy.array([part["cautiousThreshold"] for part in fitted])
    return numpy.where(probabilities >= thresholds[collection.folds], 1.0, 0.0)


def measure_tier(collection, tier, log_odds, fitted, shipped):
    """Returns the figures of a tier with their intervals over sources."""
    is_artificial, sources = collection.is_artificial, collection.sources
    weights = weigh(sources, is_artificial)
    probabilities = to_probability(log_odds)
    figures = measure(probabilities, is_artificial, weights, shipped)
    intervals = bootstrap(probabilities, is_artificial, weights, sources, shipped)
    called = to_cautious_calls(collection, probabilities, fitted)
    decision = {**shipped, "cautiousThreshold": 0.5}
    held = measure(called, is_artificial, weights, decision)
    held_intervals = bootstrap(called, is_artificial, weights, sources, decision)
    for name in ("falseAlarmRateCautious", "recallCautious"):
        figures[name], intervals[name] = held[name], held_intervals[name]
    return {
        "tier": tier.name, "description": tier.description, "clips": len(sources),
        "sources": len(set(sources)), "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
        "figures": figures, "intervals": intervals,
        "byFold": measure_folds(collection, probabilities),
        "byFamily": to_family_rows(collection, probabilities, called),
        "bySource": to_source_rows(collection, probabilities, called),
    }


def measure_folds(collection, probabilities):
    rows = []
    for fold in range(FOLD_COUNT):
        members = collection.in_fold(fold)
        is_artificial = collection.is_artificial[members]
        rows.append(to_auc(probabilities[members], is_artificial, weigh(collection.sources[members], is_artificial)))
    return rows


def to_family_rows(collection, probabilities, called):
    """Returns one row per family of systems: its AUC against all human clips, and how often it is called."""
    families = numpy.array([row["family"] for row in collection.rows])
    human = ~collection.is_artificial
    rows = []
    for family in sorted(set(families[collection.is_artificial])):
        own = collection.is_artificial & (families == family)
        mask = own | human
        rows.append({
            "family": family, "clips": int(own.sum()), "systems": len(set(collection.sources[own])),
            "auc": to_auc(
                probabilities[mask], collection.is_artificial[mask],
                weigh(collection.sources[mask], collection.is_artificial[mask]),
            ),
            "calledArtificial": float((probabilities[own] >= 0.5).mean()),
            "calledArtificialCautious": float(called[own].mean()),
        })
    return rows


def to_source_rows(collection, probabilities, called):
    rows = []
    for source in sorted(set(collection.sources)):
        mask = collection.sources == source
        first = collection.rows[int(numpy.nonzero(mask)[0][0])]
        rows.append({
            "label": first["label"], "source": first["source"], "family": first["family"], "clips": int(mask.sum()),
            "calledArtificial": float((probabilities[mask] >= 0.5).mean()),
            "calledArtificialCautious": float(called[mask].mean()),
            "meanProbability": float(probabilities[mask].mean()),
        })
    return rows


def find_worst(rows, label, count=3):
    """Returns the sources of a label, of at least SOURCE_SIZE_MIN clips, that are told worst."""
    candidates = [row for row in rows if row["label"] == label and row["clips"] >= SOURCE_SIZE_MIN]
    sign = 1 if label == "artificial" else -1
    return sorted(candidates, key=lambda row: sign * row["meanProbability"])[:count]


def evaluate(collection, scores_by_tier, joined=()):
    """Returns what calibration and card need of one pack, or of several together."""
    log_odds, fitted = cross_fit(collection, scores_by_tier, joined)
    shipped = fit(collection, scores_by_tier, numpy.arange(len(collection.rows)), bool(joined))
    return {
        "set": f"five-folds-{collection.sha256[:12]}",
        "calibration": {key: round(float(value), 6) for key, value in shipped.items()},
        "byFold": fitted,
        "tiers": [measure_tier(collection, tier, log_odds[tier.name], fitted, shipped) for tier in TIERS],
        "confounds": measure_confounds(collection, log_odds),
    }, log_odds


def write_json(path, content):
    path.write_text(json.dumps(content, indent=2, default=float) + "\n", encoding="utf-8")
