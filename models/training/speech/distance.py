"""Measures whether the distance to known human chains keeps people from being accused: `python3 distance.py --heard DIR --data DIR`.

A recording whose chain is unlike all that are known could be set aside. Of each left-out source this computes the score by lines
(without networks) that never saw it, and its distances to the human chains that were known, bounded by conformal prediction over
those. What counts is the last column: the accused share of human recordings at the same share of artificial ones found, if the
threshold alone is raised instead. Reads what hear-files.ts wrote of the collection at hand as `base`.
"""

import argparse
import csv
import hashlib
from pathlib import Path

import numpy
import torch

from conformal import choose_conformal_threshold
from corpus_fit import INVERSE_PENALTIES, fit_line
from encoder_graph import LAYERS
from heard_files import TIERS, read_heard_files
from lines import CLIP_AT, DEVIATION_MIN, LAYER_FEATURES
from scoring import weigh
from splits import read_families, to_unit

FOLD_COUNT = 5
SPEECH_SECONDS_MIN = 1.0
WIDTHS = (16, 48)
"""Main directions in which distances are taken, in units of the spread along each."""
NEIGHBOURS = 5
SHRINKAGE = 0.1
RISKS = (0.08, 0.02)
"""What `balanced` and, on so few chains, `cautious` may accuse of the next human chain."""
SET_ASIDE = (0.05, 0.1, 0.2)
THRESHOLDS_TRIED = 2_000


class Collection:
    def __init__(self, heard, data):
        self.heard = read_heard_files(heard, "base", SPEECH_SECONDS_MIN)
        with open(data / "files.tsv", newline="", encoding="utf-8") as stream:
            known = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
        families = read_families()
        rows = [known[file] for file in self.heard.files]
        self.is_artificial = numpy.array([row["label"] == "artificial" for row in rows])
        self.sources = numpy.array([f"{row['label']}/{row['source']}" for row in rows])
        self.tiers = self.heard.tiers
        groups = [to_unit(row["source"], families) for row in rows]
        self.folds = numpy.array([hashlib.sha256(f"distance:{name}".encode()).digest()[0] % FOLD_COUNT for name in groups])
        self.weights = weigh(self.sources, self.is_artificial)

    def standardise(self, members):
        windows = self.heard.windows
        own = windows[members[self.heard.owners]]
        units = (windows - own.mean(axis=0)) / numpy.maximum(own.std(axis=0), DEVIATION_MIN)
        return self.heard.average(numpy.clip(units, -CLIP_AT, CLIP_AT).astype(numpy.float32))


def score(collection, averaged, members):
    """Returns the mean of the layers' lines, fitted on `members`, each in units of its spread there."""
    shares = weigh(collection.sources[members], collection.is_artificial[members])
    parts = []
    for number, layer in enumerate(LAYERS):
        own = averaged[:, number * LAYER_FEATURES : (number + 1) * LAYER_FEATURES]
        line, bias = fit_line(own[members], collection.is_artificial[members], shares / shares.mean(), INVERSE_PENALTIES[layer])
        logits = own @ line + bias
        parts.append(logits / logits[members].std())
    return numpy.mean(parts, axis=0)


def to_distances(collection, averaged, members):
    """Returns {name: distance of every row} from the human chains among `members`, a centre for each chain and tier."""
    centre = averaged[members].mean(axis=0)
    torch.manual_seed(1)
    directions = torch.pca_lowrank(torch.from_numpy(averaged[members] - centre), q=max(WIDTHS) + 16, center=False, niter=3)[2].numpy()
    chains = numpy.char.add(collection.sources, collection.tiers.astype(str))
    found = {}
    for width in WIDTHS:
        places = (averaged - centre) @ directions[:, :width]
        places /= places[members].std(axis=0)
        centres = {
            name: numpy.stack([places[kept & (chains == chain)].mean(axis=0) for chain in numpy.unique(chains[kept])])
            for name, kept in (("human", members & ~collection.is_artificial), ("any", members))
        }
        human = centres["human"]
        inverse = numpy.linalg.inv(numpy.cov(human.T) + SHRINKAGE * numpy.eye(width))
        apart = places - human.mean(axis=0)
        found[f"Mahalanobis, {width}"] = numpy.einsum("ij,jk,ik->i", apart, inverse, apart)
        for name, chosen in centres.items():
            near = numpy.sort(numpy.linalg.norm(places[:, None] - chosen[None], axis=2), axis=1)
            found[f"nearest {name} chains, {width}"] = near[:, :NEIGHBOURS].mean(axis=1)
    return found


def choose_left_out(values, collection, members, risk):
    """Returns of each row the bound that keeps `risk` for the next human chain among `members` of the other folds."""
    bounds = numpy.empty(len(values))
    for fold in range(FOLD_COUNT):
        kept = members & (collection.folds != fold)
        least = 1 / (len(set(collection.sources[kept])) + 1)
        bounds[collection.folds == fold] = choose_conformal_threshold(values[kept], collection.sources[kept], max(risk, least))
    return bounds


def measure(collection, scores, distances):
    human = ~collection.is_artificial

    def share(label, chosen):
        return float(numpy.average(chosen[label], weights=collection.weights[label]))

    tried = numpy.quantile(scores, numpy.linspace(0, 1, THRESHOLDS_TRIED))
    found_at = numpy.array([share(~human, scores >= threshold) for threshold in tried])
    for risk in RISKS:
        bounds = numpy.max([choose_left_out(scores, collection, human & (collection.tiers == tier), risk) for tier in range(len(TIERS))], axis=0)
        accused = scores >= bounds
        print(f"promise {risk}: accused {share(human, accused):.3f}, found {share(~human, accused):.3f}")
        for name, values in distances.items():
            for aside in SET_ASIDE:
                near = values < choose_left_out(values, collection, human, aside)
                found = share(~human, accused & near)
                raised = tried[numpy.abs(found_at - found).argmin()]
                print(f"  {name}, {aside}: set aside human {share(human, ~near):.2f} artificial {share(~human, ~near):.2f}; "
                      f"accused {share(human, accused & near):.3f}, found {found:.3f}; raised threshold: accused {share(human, scores >= raised):.3f}")


def main(options):
    collection = Collection(options.heard, options.data)
    scores, distances = numpy.empty(len(collection.sources)), {}
    for fold in range(FOLD_COUNT):
        members, test = collection.folds != fold, collection.folds == fold
        averaged = collection.standardise(members)
        scores[test] = score(collection, averaged, members)[test]
        for name, values in to_distances(collection, averaged, members).items():
            distances.setdefault(name, numpy.empty(len(scores)))[test] = values[test]
    print(f"{len(scores)} rows, {len(set(collection.sources[~collection.is_artificial]))} human chains")
    measure(collection, scores, distances)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True, help="what hear-files.ts wrote: base")
    parser.add_argument("--data", type=Path, required=True, help="the collection at hand")
    main(parser.parse_args())
