"""Stage 4: fits one more regression on what the two regressions of the origin network see, by owners that came after the network was trained:
people's drawings, renders, texts and screens were not there. The network stays, and with it the head that says the medium and the logit of
before, which judges the frames of videos. The penalty is chosen on left-out owners of the inside harvest.

Writes refit.npz (weights, bias), refit.json (calibration, lower bound, counts) and features.jsonl: lines of `--bounds` with the logits of regressions that never saw the owner.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper
from torch.nn import functional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from calibrate import LINE_DIGITS  # noqa: E402
from decisions import BAND_ERROR_RATE, PERCENT  # noqa: E402
from head import FOLD_COUNT, assign_owners, minimise, read_pictures  # noqa: E402
from metrics import fit_platt, to_probability  # noqa: E402
from score_table import read_score_table  # noqa: E402
from scored import bound_owners  # noqa: E402

PENALTY = 0.1
"""Tried: 1, .3, .03, .01 and .003; left-out owners have the least loss with .1."""
CLIP = 5.0
"""As the graph does."""
ITERATIONS_MAX = 150
HIGHEST_LOW = 0.49
"""A picture is not called human at even odds."""
OLDER = "older:"
"""Owners of the older collection, which every network learnt from at length: what they show is known by heart."""


class Regressions:
    """What the two regressions of the graph see, in one row."""

    def __init__(self, path):
        stored = {tensor.name: tensor for tensor in onnx.load(path).graph.initializer}
        self.centre, self.scale = (numpy.concatenate([numpy_helper.to_array(stored[f"heads.heads.{number}.{part}"]) for number in range(2)]) for part in ("centre", "scale"))

    def standardise(self, features):
        """Of a mean over places as of each place: hardly one value in two hundred is clipped."""
        return numpy.clip((features - self.centre) * self.scale, -CLIP, CLIP)


class Pictures:
    """Pictures of owners outside of the older collection."""

    def __init__(self, index, folder, calibration):
        rows, features = read_pictures(index, [folder])
        kept = [not row["owner"].startswith(OLDER) for row in rows]
        self.rows = [row for row, is_kept in zip(rows, kept) if is_kept]
        self.features = features[kept]
        self.log_odds = calibration["slope"] * numpy.array([row["logit"] for row in self.rows]) + calibration["intercept"]
        self.labels = numpy.array([row["label"] == "artificial" for row in self.rows])
        self.inside = numpy.array([row["harvest"] == "inside" for row in self.rows])
        self.weights = weigh([(row["label"], row["source"]) for row in self.rows], [(row["label"], row["owner"]) for row in self.rows])
        self.folds = assign_owners(self.rows)


def weigh(sources, owners):
    """A source weighs the root of its pictures, an owner the root of its sources."""
    pictures, own = {}, {}
    for source, owner in zip(sources, owners):
        pictures[source] = pictures.get(source, 0) + 1
        own.setdefault(owner, set()).add(source)
    return numpy.array([1 / numpy.sqrt(pictures[source] * len(own[owner])) for source, owner in zip(sources, owners)])


def share(weights, labels):
    """Both labels weigh alike; sums to one."""
    return numpy.where(labels, weights / weights[labels].sum(), weights / weights[~labels].sum()) / 2


def fit(inputs, log_odds, labels, weights, penalty=PENALTY):
    """Returns (weights [F], bias) of what is added to the log-odds that the network has now."""
    inputs, shares = torch.from_numpy(inputs), torch.from_numpy(share(weights, labels).astype(numpy.float32))
    before, targets = torch.from_numpy(log_odds.astype(numpy.float32)), torch.from_numpy(labels.astype(numpy.float32))
    vector = torch.zeros(inputs.shape[1], requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)

    def to_loss():
        losses = functional.binary_cross_entropy_with_logits(before + inputs @ vector + bias, targets, reduction="none")
        return (shares * losses).sum() + penalty * (vector**2).sum()

    minimise([vector, bias], to_loss, ITERATIONS_MAX)
    return vector.detach().numpy().astype(numpy.float64), float(bias.item())


def learn(pictures, inputs):
    """Returns what is added by all inside pictures, and by those without each fold."""
    chosen = [pictures.inside & (pictures.folds != fold) for fold in range(FOLD_COUNT)]
    parts = (fit(inputs[kept], pictures.log_odds[kept], pictures.labels[kept], pictures.weights[kept]) for kept in (pictures.inside, *chosen))
    whole, *left_out = parts
    return whole, left_out


def add(pictures, inputs, whole, left_out):
    """Returns what is added to each picture's log-odds: by the fold that never saw its owner, outside by all."""
    added = inputs @ whole[0] + whole[1]
    for fold, (vector, bias) in enumerate(left_out):
        own = pictures.inside & (pictures.folds == fold)
        added[own] = inputs[own] @ vector + bias
    return added


def calibrate(pictures, added, table, shipped):
    """Returns (slope, intercept) on the new log-odds, and below which probability at most a tenth of the artificial pictures lie. The network learnt from the inside artificial pictures, so of
    each the log-odds are those that a network without its source gave; a source that has none there takes no part."""
    labels, sources, by_tier = read_score_table(table)
    known = {(label, source, tier): value for tier, values in by_tier.items() for label, source, value in zip(labels, sources, values)}
    before = numpy.array([known.get((row["label"], row["source"], row["tier"]), numpy.nan) for row in pictures.rows])
    log_odds = numpy.where(pictures.labels, before, pictures.log_odds) + added
    kept = pictures.inside & ~numpy.isnan(log_odds)
    slope, intercept = fit_platt(log_odds[kept], pictures.labels[kept], share(pictures.weights[kept], pictures.labels[kept]))
    made = kept & pictures.labels
    owners = numpy.array([row["owner"] for row in pictures.rows])
    low = -bound_owners(-to_probability(slope * log_odds[made] + intercept), owners[made], BAND_ERROR_RATE)
    return slope, intercept, float(numpy.floor(min(HIGHEST_LOW, low) * PERCENT) / PERCENT)


def main(arguments):
    torch.manual_seed(0)
    manifest = json.loads((arguments.pack / "model.json").read_text(encoding="utf-8"))
    # A pack that was refitted before calibrates its first logit there.
    shipped = manifest["decision"].get("frames", {}).get("line") or manifest["calibration"]
    regressions = Regressions(arguments.pack / "model.onnx")
    pictures = Pictures(arguments.index, arguments.features, shipped)
    inputs = regressions.standardise(pictures.features)
    whole, left_out = learn(pictures, inputs)
    slope, intercept, low = calibrate(pictures, add(pictures, inputs, whole, left_out), arguments.pack / "left-out-scores.tsv", shipped)
    arguments.out.mkdir(parents=True, exist_ok=True)
    weights, bias = whole[0] / shipped["slope"], whole[1] / shipped["slope"]
    numpy.savez(arguments.out / "refit.npz", weights=weights[:, None].astype(numpy.float32), bias=numpy.array([bias], dtype=numpy.float32))
    bounded = Pictures(arguments.index, arguments.bounds, shipped)
    added = add(bounded, regressions.standardise(bounded.features), whole, left_out)
    with open(arguments.out / "features.jsonl", "w", encoding="utf-8") as stream:
        for row, more in zip(bounded.rows, added):
            line = {name: row[name] for name in ("file", "tier", "size", "places", "texture")}
            stream.write(json.dumps(line | {"logit": round(row["logit"] + more / shipped["slope"], 4)}) + "\n")
    line = {"slope": round(slope * shipped["slope"], LINE_DIGITS), "intercept": round(slope * shipped["intercept"] + intercept, LINE_DIGITS)}
    counts = {label: len({row["file"] for row in pictures.rows if row["harvest"] == "inside" and row["label"] == label}) for label in ("human", "artificial")}
    fitted = {"calibration": line, "frames": {name: shipped[name] for name in line}, "inconclusiveLow": low, "learntFrom": counts}
    (arguments.out / "refit.json").write_text(json.dumps(fitted, indent=2) + "\n", encoding="utf-8")
    print(fitted)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True, help="folder of extract.py: what is learnt from, a few places of each picture in every tier")
    parser.add_argument("--bounds", type=Path, required=True, help="folder of extract.py: all places of the pictures that bounds.py takes")
    parser.add_argument("--pack", type=Path, required=True, help="the pack as it ships")
    parser.add_argument("--out", type=Path, required=True)
    main(parser.parse_args())
