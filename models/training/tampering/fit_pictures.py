"""Stage 10: fits how a picture's features are weighed, and where its score begins to mean something.

Reads WORK/edits/files.tsv and WORK/picture-features.jsonl. A fold is weighed, calibrated and bounded by left-out scores of
the others; what is shipped, by those of all. Writes WORK/pictures.json.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent))

from linear import fit_head
from metrics import LOG_ODDS_MAX, fit_platt, measure, to_auc, to_interval, to_probability
from splits import ALL_FOLDS
from weights import weigh
from whole_edits import EDITS_FOLDER, INDEX_FILE

FEATURES_FILE = "picture-features.jsonl"
PICTURES_FILE = "pictures.json"
FEATURES = (
    "tileMean", "tileStrongest", "regionStrongest", "regionExcess", "cellSpread", "cellShare",
    "repeatSharpness", "repeatCrowd", "repeatVotes", "repeatExcess",
)
"""In the order of the appliance's picture-evidence.ts."""
PENALTY = 0.003
CAUTIOUS_FALSE_ALARM_RATE = 0.01
BAND_ERROR_RATE = 0.1


def read_index(work):
    """Returns {file: row} of the pictures that were made."""
    with open(work / EDITS_FOLDER / INDEX_FILE, newline="", encoding="utf-8") as stream:
        return {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}


class Pictures:
    """Rows of the index that were measured, with their features."""

    def __init__(self, work):
        rows = read_index(work)
        lines = (work / FEATURES_FILE).read_text(encoding="utf-8").splitlines()
        measured = {line["file"]: line for line in map(json.loads, lines)}
        twins = {}
        for file in measured:
            twins.setdefault(Path(file).stem, []).append(file)
        # An edit without its twin would count one history more for one label than for the other.
        files = sorted(file for pair in twins.values() if len(pair) == 2 for file in pair)
        self.rows = [rows[file] for file in files]
        self.features = numpy.array([[measured[file][name] for name in FEATURES] for file in files], dtype=numpy.float32)
        self.is_edited = numpy.array([row["label"] == "edited" for row in self.rows])
        self.sources = numpy.array([row["source"] for row in self.rows])
        self.folds = numpy.array([int(row["fold"]) for row in self.rows])
        self.weights = weigh(self.sources, self.is_edited)


def fit(pictures, folds):
    chosen = numpy.isin(pictures.folds, folds)
    weights = weigh(pictures.sources[chosen], pictures.is_edited[chosen])
    return fit_head(pictures.features[chosen], pictures.is_edited[chosen], weights, PENALTY)


def score(head, pictures, fold):
    import torch

    chosen = pictures.folds == fold
    return chosen, head(torch.from_numpy(pictures.features[chosen])).numpy().astype(float)


def score_left_out(pictures, folds):
    """Returns the logit of every picture of `folds` by a head of the other folds among them; the rest are nan."""
    logits = numpy.full(len(pictures.rows), numpy.nan)
    for fold in folds:
        chosen, values = score(fit(pictures, [other for other in folds if other != fold]), pictures, fold)
        logits[chosen] = values
    return logits


def decide(pictures, folds):
    """Returns calibration and bounds from left-out scores of `folds`."""
    logits = score_left_out(pictures, folds)
    kept = ~numpy.isnan(logits)
    logits, is_edited = logits[kept], pictures.is_edited[kept]
    weights = weigh(pictures.sources[kept], is_edited)
    slope, intercept = fit_platt(logits, is_edited, weights)
    probabilities = to_probability(slope * logits + intercept)
    authentic, edited = probabilities[~is_edited], probabilities[is_edited]
    # Weighed alike: an alarm is an alarm, whoever took the picture.
    low, high = numpy.quantile(edited, BAND_ERROR_RATE), numpy.quantile(authentic, 1 - BAND_ERROR_RATE)
    return {
        "slope": slope, "intercept": intercept,
        "cautiousThreshold": float(numpy.quantile(authentic, 1 - CAUTIOUS_FALSE_ALARM_RATE, method="higher")) + 1e-6,
        "inconclusiveLow": float(numpy.floor(100 * min(low, 0.49)) / 100),
        "inconclusiveHigh": float(numpy.ceil(100 * max(high, 0.51)) / 100),
    }


def describe_head(head):
    weights = head.linear.weight[0]
    return {
        "intercept": round(float(head.linear.bias), 6),
        "features": {
            name: {"centre": round(float(centre), 6), "deviation": round(1 / float(scale), 6), "weight": round(float(weight), 6)}
            for name, centre, scale, weight in zip(FEATURES, head.centre, head.scale, weights)
        },
    }


def show(pictures, logits, decisions):
    slopes, intercepts = (numpy.array([decisions[fold][name] for fold in pictures.folds]) for name in ("slope", "intercept"))
    probabilities = to_probability(numpy.clip(slopes * logits + intercepts, -LOG_ODDS_MAX, LOG_ODDS_MAX))
    bounds = {name: numpy.array([decisions[fold][name] for fold in pictures.folds])
              for name in ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")}
    figures = measure(probabilities, pictures.is_edited, pictures.weights, bounds)
    print({name: round(value, 3) for name, value in figures.items()})
    # A source is drawn with both its labels: twins must not be parted.
    print("AUC, 95 % over sources:", to_interval(list(draw_auc(pictures, probabilities))))
    for column in ("tier", "kind", "edit"):
        values = numpy.array([row[column] for row in pictures.rows])
        for name in sorted(set(values) - {"authentic"}):
            stems = {Path(row["file"]).stem for row, value in zip(pictures.rows, values) if value == name}
            chosen = numpy.array([Path(row["file"]).stem in stems for row in pictures.rows])
            auc = to_auc(probabilities[chosen], pictures.is_edited[chosen], numpy.ones(chosen.sum()))
            print(f"  {name}: {chosen.sum()} pictures, AUC {auc:.3f}")


def draw_auc(pictures, probabilities, count=400):
    rng = numpy.random.default_rng(1)
    names, inverse = numpy.unique(pictures.sources, return_inverse=True)
    for _ in range(count):
        drawn = numpy.bincount(rng.choice(len(names), len(names)), minlength=len(names))[inverse]
        yield to_auc(probabilities, pictures.is_edited, pictures.weights * drawn)


def run(work):
    pictures = Pictures(work)
    print(f"{len(pictures.rows)} pictures of {len(set(pictures.sources))} sources")
    heads, decisions, logits = {}, {}, numpy.zeros(len(pictures.rows))
    for fold in ALL_FOLDS:
        others = [other for other in ALL_FOLDS if other != fold]
        heads[fold], decisions[fold] = fit(pictures, others), decide(pictures, others)
        chosen, values = score(heads[fold], pictures, fold)
        logits[chosen] = values
    show(pictures, logits, decisions)
    head, decision = fit(pictures, list(ALL_FOLDS)), decide(pictures, list(ALL_FOLDS))
    body = {
        "pictures": len(pictures.rows), "sources": len(set(pictures.sources)),
        "all": {**describe_head(head), "decision": decision},
        **{f"fold-{fold}": {**describe_head(heads[fold]), "decision": decisions[fold]} for fold in ALL_FOLDS},
    }
    (work / PICTURES_FILE).write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(body["all"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    run(parser.parse_args().work)
