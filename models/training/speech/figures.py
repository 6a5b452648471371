"""Owns out-of-fold scores, their cross-fitted calibration and the figures that follow, of one pack or of several fused.

A clip's probability comes from models that saw neither its fold nor a clip
that shares a speaker or a group with it, calibrated on the other four folds.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch

from confounds import measure_confounds
from scoring import TIERS, weigh
from source_rows import measure_folds, to_family_rows, to_source_rows
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from decisions import to_bounds  # noqa: E402
from heuristics import measure_flips, measure_heuristics, to_calls  # noqa: E402
from metrics import bootstrap, measure, to_cllr, to_probability  # noqa: E402

CAUTIOUS_FALSE_ALARM_RATE = 0.005
"""Half of the promised 1 %: a rate found on some sources is exceeded on others."""
FLOOR_MAX = 0.4
ITERATIONS_MAX = 200
WEIGHTS_TRIED = (0.1, 0.25, 0.5, 1.0)
"""Of the first pack, against 1 of the second."""


def to_scores_file(work, key):
    return work / f"scores-{key}.npz"


def load_scores(work, key):
    """Returns {tier name: rows of average_windows for all clips}."""
    with numpy.load(to_scores_file(work, key)) as scores:
        return {name: scores[name] for name in scores.files}


@dataclass
class Fit:
    """What was fitted on some clips: a calibration per pack, and the bounds of their weighted mean."""

    calibrations: list
    bounds: dict

    def apply(self, packs, weights, tier):
        """Returns (fused log-odds [N], those of each pack [N, packs]) of all clips in a tier."""
        single = numpy.stack(
            [to_log_odds(scores[tier], calibration) for scores, calibration in zip(packs, self.calibrations)], axis=1
        )
        return single @ numpy.array(weights) / sum(weights), single


def fit(collection, packs, weights, members):
    """Returns the Fit of packs, each {tier: scores}, from the clips of `members`, over the three tiers alike."""
    is_artificial = collection.is_artificial[members]
    shares = weigh(collection.sources[members], is_artificial)
    repeated = len(TIERS)
    calibrations = [
        fit_calibration(
            numpy.concatenate([scores[tier.name][members] for tier in TIERS]),
            numpy.tile(is_artificial, repeated), numpy.tile(shares, repeated),
        )
        for scores in packs
    ]
    fitted = Fit(calibrations, {})
    by_tier = [to_probability(fitted.apply(packs, weights, tier.name)[0][members]) for tier in TIERS]
    fitted.bounds = to_bounds(by_tier, is_artificial, shares, CAUTIOUS_FALSE_ALARM_RATE)
    return fitted


def fit_calibration(scores, is_artificial, weights):
    """Returns the likeliest line on the three columns of average_windows, and the floor under its probability.

    Some artificial speech scores as human as any recording; the floor says so, where a
    line alone would grow ever surer of what it merely does not hear.
    """
    design = torch.from_numpy(numpy.concatenate([scores, numpy.ones((len(scores), 1))], axis=1))
    targets, shares = torch.from_numpy(is_artificial), torch.from_numpy(weights / weights.sum())
    parameters = torch.tensor([1.0, 0.0, 0.0, 0.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([parameters], max_iter=ITERATIONS_MAX, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        floor = FLOOR_MAX * torch.sigmoid(parameters[4])
        probabilities = floor + (1 - floor) * torch.sigmoid(design @ parameters[:4])
        loss = -(shares * torch.log(torch.where(targets, probabilities, 1 - probabilities))).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    *line, floor = parameters.detach()
    names = ("slope", "slopeNarrow", "interceptNarrow", "intercept")
    return {**dict(zip(names, map(float, line))), "floor": float(FLOOR_MAX * torch.sigmoid(floor))}


def to_log_odds(scores, calibration):
    line = (
        calibration["slope"] * scores[:, 0] + calibration["slopeNarrow"] * scores[:, 1]
        + calibration["interceptNarrow"] * scores[:, 2] + calibration["intercept"]
    )
    floor = calibration["floor"]
    return numpy.logaddexp(line, numpy.log(max(floor, 1e-12))) - numpy.log1p(-floor)


def choose_weights(collection, packs, members):
    """Returns the weights of two packs of least Cllr over the three tiers, among clips of `members` alone."""
    is_artificial = collection.is_artificial[members]
    shares = weigh(collection.sources[members], is_artificial)

    def to_cost(weights):
        fitted = fit(collection, packs, weights, members)
        return sum(
            to_cllr(to_probability(fitted.apply(packs, weights, tier.name)[0][members]), is_artificial, shares)
            for tier in TIERS
        )

    return min(((weight, 1.0) for weight in WEIGHTS_TRIED), key=to_cost)


@dataclass
class CrossFit:
    """Of every clip what the fits without its fold say of it; `fused` and `single` by tier."""

    fused: dict
    single: dict
    bounds: dict
    weights: list


def cross_fit(collection, packs):
    """Fits calibrations, weights and bounds for each fold on the other four."""
    names = list(packs[0])
    count = len(collection.rows)
    result = CrossFit(
        {name: numpy.empty(count) for name in names}, {name: numpy.empty((count, len(packs))) for name in names},
        {name: numpy.empty(count) for name in ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")}, [],
    )
    for fold in range(FOLD_COUNT):
        members, others = collection.in_fold(fold), numpy.nonzero(collection.folds != fold)[0]
        weights = choose_weights(collection, packs, others) if len(packs) > 1 else (1.0,)
        fitted = fit(collection, packs, weights, others)
        result.weights.append(weights)
        for name, value in fitted.bounds.items():
            result.bounds[name][members] = value
        for name in names:
            fused, single = fitted.apply(packs, weights, name)
            result.fused[name][members], result.single[name][members] = fused[members], single[members]
    return result


def measure_tier(collection, tier, crossed):
    """Returns the figures of a tier with their intervals over sources; each clip is judged by its own fold's bounds."""
    is_artificial, sources = collection.is_artificial, collection.sources
    weights = weigh(sources, is_artificial)
    probabilities = to_probability(crossed.fused[tier.name])
    calls = to_calls(crossed.single[tier.name], crossed.fused[tier.name], crossed.bounds["cautiousThreshold"])
    return {
        "tier": tier.name, "description": tier.description, "clips": len(sources),
        "sources": len(set(sources)), "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
        "figures": measure(probabilities, is_artificial, weights, crossed.bounds),
        "intervals": bootstrap(probabilities, is_artificial, weights, sources, crossed.bounds),
        "heuristics": measure_heuristics(calls, is_artificial, weights, sources),
        "byFold": measure_folds(collection, probabilities),
        "byFamily": to_family_rows(collection, probabilities, calls["cautious"]),
        "bySource": to_source_rows(collection, probabilities, calls["cautious"]),
    }


def compare_tiers(collection, crossed):
    """How many verdicts that are decided clean and in a tier differ, and how many are decided in both."""
    weights = weigh(collection.sources, collection.is_artificial)
    clean, result = to_probability(crossed.fused[TIERS[0].name]), {}
    for tier in TIERS[1:]:
        decided, flips = measure_flips(clean, to_probability(crossed.fused[tier.name]), crossed.bounds, weights)
        result[tier.name] = {"decidedInBoth": decided, "flips": flips}
    return result


def evaluate(collection, packs):
    """Returns (what calibration and card need of one pack, or of several together; the CrossFit)."""
    crossed = cross_fit(collection, packs)
    everything = numpy.arange(len(collection.rows))
    weights = choose_weights(collection, packs, everything) if len(packs) > 1 else (1.0,)
    shipped = fit(collection, packs, weights, everything)
    return {
        "set": f"five-folds-{collection.sha256[:12]}",
        "calibrations": [to_rounded(part) for part in shipped.calibrations], "bounds": to_rounded(shipped.bounds),
        "weights": weights, "weightsByFold": crossed.weights,
        "tiers": [measure_tier(collection, tier, crossed) for tier in TIERS],
        "flips": compare_tiers(collection, crossed),
        "confounds": measure_confounds(collection, crossed.fused),
    }, crossed


def to_rounded(values):
    return {key: round(float(value), 6) for key, value in values.items()}


def write_json(path, content):
    path.write_text(json.dumps(content, indent=2, default=float) + "\n", encoding="utf-8")
