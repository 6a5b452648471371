"""Stage 5: out-of-fold scores of the portraits, calibration, and figures with intervals over sources.

Each portrait is scored by the round that left its fold out. Its log-odds and
bounds come from the other four folds' scores, so that nothing that is measured
decided about itself; what is shipped comes from all five.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy
import torch

sys.path.append(str(Path(__file__).parents[1]))

from decisions import to_bounds  # noqa: E402
from metrics import bootstrap, compare_auc, draw_sources, fit_platt, measure, to_auc, to_interval, to_probability  # noqa: E402

from face_network import FaceNetwork  # noqa: E402
from faces import FaceCollection  # noqa: E402
from maps import read_maps, to_tier_file  # noqa: E402
from sources import FOLDS  # noqa: E402
from train import to_round_file  # noqa: E402
from views import CONFOUNDS, TIERS  # noqa: E402

EVALUATION_FILE = "evaluation.json"
CALIBRATION_FILE = "calibration.json"
FACE_SIDE_MIN_PX = 64
"""Of the tier's picture, not of the original: smaller faces are not judged."""
FALSE_ALARM_RATE = 0.01
BATCH = 64


def load_round(work, number):
    network = FaceNetwork()
    network.load_state_dict(torch.load(work / to_round_file(number), map_location="cpu")["average"])
    return network.eval()


class Portraits:
    """The portraits that are measured, and what weighs how much."""

    def __init__(self, work):
        faces = FaceCollection(work).faces
        self.rows = numpy.array([i for i, face in enumerate(faces) if face.is_portrait and face.side >= FACE_SIDE_MIN_PX])
        self.faces = [faces[row] for row in self.rows]
        self.folds = numpy.array([face.fold for face in self.faces])
        self.is_artificial = numpy.array([face.is_artificial for face in self.faces])
        self.kinds = numpy.array([face.kind for face in self.faces])
        # A pair's two frames are two labels of one source: names are told apart, or a draw would take both or none.
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
    names, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = sizes[inverse] ** -0.5
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights


@torch.no_grad()
def score(work, portraits):
    """Returns {tier: logits out of fold}."""
    networks = {fold: load_round(work, fold) for fold in FOLDS}
    result = {}
    for tier in (*TIERS, *CONFOUNDS):
        maps, logits = read_maps(work / to_tier_file(tier)), numpy.empty(len(portraits.rows))
        for fold, network in networks.items():
            members = numpy.nonzero(portraits.folds == fold)[0]
            for first in range(0, len(members), BATCH):
                chosen = members[first : first + BATCH]
                lower = torch.from_numpy(maps[portraits.rows[chosen]].astype(numpy.float32))
                logits[chosen] = network.judge_lower(lower).numpy()
        result[tier] = logits
    return result


def fit(portraits, logits, rows):
    """Returns the line and bounds fitted on some portraits, all quality tiers together."""
    masks = [rows & portraits.is_judged(tier) for tier in TIERS]
    joined = [numpy.concatenate([values[mask] for mask in masks])
              for values in (portraits.is_artificial, portraits.weights)]
    slope, intercept = fit_platt(
        numpy.concatenate([logits[tier][mask] for tier, mask in zip(TIERS, masks)]), *joined
    )
    clean = portraits.is_artificial[rows], portraits.weights[rows]
    by_tier = [to_probability(slope * logits[tier][rows] + intercept) for tier in TIERS]
    return {"slope": slope, "intercept": intercept, **to_bounds(by_tier, *clean, FALSE_ALARM_RATE)}


def cross_fit(portraits, logits):
    """Returns ({tier: log-odds}, bounds per portrait), each fold by a line fitted on the other four."""
    log_odds = {tier: numpy.empty(len(portraits.rows)) for tier in logits}
    names = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")
    bounds = {name: numpy.empty(len(portraits.rows)) for name in names}
    for fold in FOLDS:
        fitted, rows = fit(portraits, logits, portraits.folds != fold), portraits.folds == fold
        for tier, values in logits.items():
            log_odds[tier][rows] = fitted["slope"] * values[rows] + fitted["intercept"]
        for name in names:
            bounds[name][rows] = fitted[name]
    return log_odds, bounds


def measure_tier(portraits, log_odds, bounds, rows):
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


def measure_kinds(portraits, log_odds):
    """Each kind of fake against all human portraits, and swapped frames against the frames they were made from."""
    result, human = {}, ~portraits.is_artificial
    for kind in sorted(set(portraits.kinds) - {"human"}):
        rows = human | (portraits.kinds == kind)
        result[kind] = measure_auc(log_odds[rows], portraits.is_artificial[rows], portraits.sources[rows])
    paired = numpy.array([face.file.startswith("pairs/") for face in portraits.faces])
    result["swap-pair, against its own frames"] = measure_auc(
        log_odds[paired], portraits.is_artificial[paired], portraits.sources[paired]
    )
    return result


def compare_confounds(portraits, logits):
    arguments = portraits.is_artificial, portraits.weights, portraits.sources
    result = {}
    for name in CONFOUNDS:
        change, interval = compare_auc(logits["clean"], logits[name], *arguments)
        result[name] = {"auc": to_auc(logits[name], *arguments[:2]), "change": change, "interval": interval}
    side = numpy.array([float(face.side) for face in portraits.faces])
    result["side of the face alone"] = {"auc": to_auc(side, *arguments[:2])}
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


def round_bounds(fitted):
    """Rounds the threshold up: what is shipped must not alarm more often than what was measured."""
    return {**{name: round(float(value), 6) for name, value in fitted.items()},
            "cautiousThreshold": round(float(fitted["cautiousThreshold"]) + 5e-7, 6)}


def evaluate(work):
    torch.set_num_threads(1)
    portraits = Portraits(work)
    logits = score(work, portraits)
    log_odds, bounds = cross_fit(portraits, logits)
    result = {
        "tiers": {tier: measure_tier(portraits, log_odds[tier], bounds, portraits.is_judged(tier)) for tier in TIERS},
        "kinds": {tier: measure_kinds(portraits, logits[tier]) for tier in TIERS},
        "confounds": compare_confounds(portraits, logits),
        "flips": measure_flips(log_odds, bounds, portraits),
        "bySource": to_source_rows(portraits, log_odds["clean"], bounds),
        "aucByFold": {str(fold): measure_auc(
            logits["clean"][portraits.folds == fold], portraits.is_artificial[portraits.folds == fold],
            portraits.sources[portraits.folds == fold]) for fold in FOLDS},
    }
    shipped = round_bounds(fit(portraits, logits, numpy.ones(len(portraits.rows), dtype=bool)))
    (work / EVALUATION_FILE).write_text(json.dumps(result, indent=1), encoding="utf-8")
    (work / CALIBRATION_FILE).write_text(json.dumps(shipped, indent=1), encoding="utf-8")
    numpy.savez(work / "scores.npz", rows=portraits.rows, **{f"{tier}": value for tier, value in logits.items()})
    for tier, measured in result["tiers"].items():
        print(tier, measured["faces"], {name: round(value, 3) for name, value in measured["figures"].items()},
              "AUC", [round(value, 3) for value in measured["intervals"]["auc"]])
    print(json.dumps({name: result[name] for name in ("kinds", "confounds", "flips")}, indent=1), shipped)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    evaluate(parser.parse_args().work)
