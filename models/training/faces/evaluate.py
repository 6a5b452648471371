"""Stage 3: fits the head without each fold and on all, calibrates, and measures with intervals over sources.

Each portrait is scored by the head that left its fold out. Its log-odds and
bounds come from the other four folds' scores, so that nothing that is measured
decided about itself; what is shipped comes from all five. Swapped frames against the frames that they
were made from are the honest figure: no collection, size or compression tells those apart.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).parents[1]))

from decisions import to_bounds  # noqa: E402
from metrics import (  # noqa: E402
    bootstrap, draw_sources, find_threshold, fit_platt, measure, to_auc, to_interval, to_probability,
)

from confounds import compare_confounds, measure_sizes  # noqa: E402
from extract import read_features  # noqa: E402
from faces import FaceCollection  # noqa: E402
from inception import VARIANCE_MIN  # noqa: E402
from pairs import measure_pairs  # noqa: E402
from sources import FOLDS  # noqa: E402
from training import train, weigh_faces  # noqa: E402
from views import CONFOUNDS, TIERS  # noqa: E402

EVALUATION_FILE = "evaluation.json"
SHIPPED_FILE = "shipped.json"
FACE_SIDE_MIN_PX = 64
"""Of the tier's picture, not of the original: smaller faces are not judged."""
FALSE_ALARM_RATE = 0.01
EVEN_FALSE_ALARM_RATE = 0.1
"""Of human faces, in each tier: so many at most reach p = 0.5."""
FLOOR = 0.3
"""Least probability: the head sees swaps, and must not exclude what it does not see, as a generated face."""
BOUND_NAMES = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")


class Portraits:
    """The faces that are measured, and what weighs how much."""

    def __init__(self, work):
        self.all = FaceCollection(work).faces
        self.rows = numpy.array([i for i, face in enumerate(self.all) if face.side >= FACE_SIDE_MIN_PX])
        self.faces = [self.all[row] for row in self.rows]
        self.folds = numpy.array([face.fold for face in self.faces])
        self.is_artificial = numpy.array([face.is_artificial for face in self.faces])
        self.is_paired = numpy.array([face.is_paired for face in self.faces])
        self.kinds = numpy.array([face.kind for face in self.faces])
        # A pair's two frames are of two labels: names are told apart, or a draw would take both or none.
        self.sources = numpy.array([f"{face.label}/{face.source}" for face in self.faces])
        self.weights = weigh(self.sources, self.is_artificial)

    def is_judged(self, tier):
        """Which faces are still large enough once the picture went through a tier."""
        if TIERS.get(tier) is None:
            return numpy.ones(len(self.faces), dtype=bool)
        long_side = TIERS[tier][0]
        return numpy.array([
            face.side * min(1.0, long_side / max(face.picture)) >= FACE_SIDE_MIN_PX for face in self.faces
        ])


def weigh(sources, is_artificial):
    """Each face weighs one over the square root of its source's size; both labels weigh the same."""
    _, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = sizes[inverse] ** -0.5
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights


def score(work, portraits):
    """Returns {tier or confound: logits out of fold}."""
    folds = numpy.array([face.fold for face in portraits.all])
    heads = {fold: train(work, portraits.all, folds != fold) for fold in FOLDS}
    result = {}
    for name in (*TIERS, *CONFOUNDS):
        features = read_features(work, name, len(portraits.all))[portraits.rows]
        logits = numpy.empty(len(portraits.rows))
        for fold, (weights, bias) in heads.items():
            members = portraits.folds == fold
            logits[members] = features[members] @ weights + bias
        result[name] = logits
    return result


def to_log_odds(logits, slope, intercept):
    """The appliance's rule: p = FLOOR + (1 - FLOOR) * logistic(slope * logit + intercept), as log-odds."""
    probabilities = FLOOR + (1 - FLOOR) * to_probability(slope * logits + intercept)
    return numpy.log(probabilities) - numpy.log1p(-probabilities)


def fit(portraits, logits, rows):
    """Returns the line and bounds fitted on some portraits, all quality tiers together.

    Pairs weigh half, as in training. The line is then lowered until few human faces
    reach even odds: a face is a person, and so weak a model must not lean against one in three. All
    below the cautious threshold is inconclusive.
    """
    weights = weigh_faces(portraits.faces, rows)
    masks = [rows & portraits.is_judged(tier) for tier in TIERS]
    slope, intercept = fit_platt(*(numpy.concatenate(parts) for parts in (
        [logits[tier][mask] for tier, mask in zip(TIERS, masks)],
        [portraits.is_artificial[mask] for mask in masks], [weights[mask] for mask in masks],
    )))
    even = max(find_threshold(logits[tier][mask], portraits.is_artificial[mask], portraits.weights[mask],
                              EVEN_FALSE_ALARM_RATE) for tier, mask in zip(TIERS, masks))
    even_log_odds = numpy.log(0.5 - FLOOR) - numpy.log(0.5)
    lowered = min(intercept, even_log_odds - slope * even)
    by_tier = [to_probability(to_log_odds(logits[tier][rows], slope, lowered)) for tier in TIERS]
    bounds = to_bounds(by_tier, portraits.is_artificial[rows], portraits.weights[rows], FALSE_ALARM_RATE)
    high = max(bounds["inconclusiveHigh"], float(numpy.ceil(bounds["cautiousThreshold"] * 100) / 100))
    return {"slope": slope, "intercept": lowered, "lowered": intercept - lowered, **bounds, "inconclusiveHigh": high}


def cross_fit(portraits, logits):
    """Returns ({tier: log-odds}, bounds per portrait), each fold by a line fitted on the other four."""
    log_odds = {tier: numpy.empty(len(portraits.rows)) for tier in logits}
    bounds = {name: numpy.empty(len(portraits.rows)) for name in BOUND_NAMES}
    for fold in FOLDS:
        fitted, rows = fit(portraits, logits, portraits.folds != fold), portraits.folds == fold
        for tier, values in logits.items():
            log_odds[tier][rows] = to_log_odds(values[rows], fitted["slope"], fitted["intercept"])
        for name in BOUND_NAMES:
            bounds[name][rows] = fitted[name]
    return log_odds, bounds


def measure_rows(portraits, log_odds, bounds, rows):
    is_artificial, sources = portraits.is_artificial[rows], portraits.sources[rows]
    weights = weigh(sources, is_artificial)
    taken = {name: value[rows] for name, value in bounds.items()}
    parts = to_probability(log_odds[rows]), is_artificial, weights
    return {
        "faces": int(rows.sum()), "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
        "humanSources": len(set(sources[~is_artificial])), "artificialSources": len(set(sources[is_artificial])),
        "figures": measure(*parts, taken), "intervals": bootstrap(*parts, sources, taken),
    }


def measure_auc(scores, is_artificial, sources):
    """Returns {auc, interval} of a subset, weighed anew."""
    weights = weigh(sources, is_artificial)
    drawn = [to_auc(scores[kept], is_artificial[kept], chosen)
             for kept, chosen in draw_sources(is_artificial, weights, sources)]
    return {"auc": to_auc(scores, is_artificial, weights), "interval": to_interval(drawn),
            "faces": int(is_artificial.sum()), "sources": len(set(sources[is_artificial]))}


def measure_kinds(portraits, scores):
    """Each kind of fake against all human portraits."""
    result, human = {}, ~portraits.is_artificial
    for kind in sorted(set(portraits.kinds) - {"human"}):
        rows = human | (portraits.kinds == kind)
        result[kind] = measure_auc(scores[rows], portraits.is_artificial[rows], portraits.sources[rows])
    return result


def to_source_rows(portraits, log_odds, bounds):
    probabilities, rows = to_probability(log_odds), []
    for source in sorted(set(portraits.sources)):
        mask = portraits.sources == source
        rows.append({
            "source": source, "kind": str(portraits.kinds[mask][0]), "faces": int(mask.sum()),
            "called": float((probabilities[mask] >= 0.5).mean()), "mean": float(probabilities[mask].mean()),
            "cautious": float((probabilities[mask] >= bounds["cautiousThreshold"][mask]).mean()),
        })
    return rows


def measure_flips(log_odds, bounds, portraits):
    """Share of faces decided clean and in a tier whose side differs."""
    result = {}
    for tier in list(TIERS)[1:]:
        both = portraits.is_judged(tier)
        one, other = (to_probability(log_odds[name]) for name in ("clean", tier))
        decided = both.copy()
        for p in (one, other):
            decided &= (p < bounds["inconclusiveLow"]) | (p > bounds["inconclusiveHigh"])
        flipped = decided & ((one >= 0.5) != (other >= 0.5))
        weights = portraits.weights
        result[tier] = {
            "decidedInBoth": float(weights[decided].sum() / weights[both].sum()),
            "flips": float(weights[flipped].sum() / max(weights[decided].sum(), 1e-12)),
        }
    return result


def ship(work, portraits, logits):
    """Fits the head, the line and the bounds on everything."""
    weights, bias = train(work, portraits.all, numpy.ones(len(portraits.all), dtype=bool))
    fitted = fit(portraits, logits, numpy.ones(len(portraits.rows), dtype=bool))
    # Rounded up: what is shipped must not alarm more often than what was measured.
    threshold = round(float(fitted["cautiousThreshold"]) + 5e-7, 6)
    return {
        "head": {
            "measure": "deviation", "varianceMin": VARIANCE_MIN,
            "centre": [0] * len(weights), "scale": [1] * len(weights),
            "weights": [float(f"{value:.6g}") for value in weights], "bias": round(bias, 6),
        },
        **{name: round(float(value), 6) for name, value in fitted.items()}, "cautiousThreshold": threshold,
    }


def evaluate(work):
    portraits = Portraits(work)
    logits = score(work, portraits)
    log_odds, bounds = cross_fit(portraits, logits)
    result = {
        "tiers": {tier: measure_rows(portraits, log_odds[tier], bounds, portraits.is_judged(tier)) for tier in TIERS},
        "pairs": {tier: measure_pairs(portraits, log_odds[tier], portraits.is_judged(tier)) for tier in TIERS},
        "kinds": {tier: measure_kinds(portraits, logits[tier]) for tier in TIERS},
        "confounds": compare_confounds(portraits, logits), "sizes": measure_sizes(portraits),
        "flips": measure_flips(log_odds, bounds, portraits),
        "bySource": to_source_rows(portraits, log_odds["clean"], bounds),
    }
    (work / EVALUATION_FILE).write_text(json.dumps(result, indent=1), encoding="utf-8")
    shipped = ship(work, portraits, logits)
    (work / SHIPPED_FILE).write_text(json.dumps(shipped, indent=1), encoding="utf-8")
    for tier, measured in result["tiers"].items():
        print(tier, measured["faces"], {name: round(value, 3) for name, value in measured["figures"].items()},
              "AUC", [round(value, 3) for value in measured["intervals"]["auc"]])
    print(json.dumps({name: result[name] for name in ("pairs", "kinds", "confounds", "sizes", "flips")}, indent=1))
    print({name: value for name, value in shipped.items() if name != "head"})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    evaluate(parser.parse_args().work)
