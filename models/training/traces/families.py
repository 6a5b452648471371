"""Asks whether the features tell which family of generators made a picture, for owners that were left out.

One regression over the families with enough owners and a class of the others; a source is what its patches say
on average. A family would be worth saying where at least PRECISION_MIN of the sources that are called it are of it,
owners left out, sources alike. Prints the table; nothing is shipped by it.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from folds import assign_folds  # noqa: E402
from tables import to_table  # noqa: E402
from upper import UpperBlocks, pool  # noqa: E402

FOLD_COUNT = 5
OWNERS_MIN = 6
"""Families of fewer owners cannot be left out and shown to be recognised."""
PATCHES_PER_SOURCE = 24
PRECISION_MIN = 0.7
SURE_FROM = (0.0, 0.5, 0.7)
PENALTIES = (0.003, 0.03)
OTHER = "others"


@torch.no_grad()
def read_features(network, folder):
    """Returns [(described, features [N, 1536])] of the artificial sources with an owner and a known family."""
    found = []
    for meta in sorted(folder.glob("artificial--*.json")):
        described = json.loads(meta.read_text(encoding="utf-8"))
        if not described["owner"] or not described["patches"] or described["family"] in ("", "unknown"):
            continue
        tokens = numpy.load(meta.with_suffix(".npy"), mmap_mode="r")
        step = max(1, len(tokens) // PATCHES_PER_SOURCE)
        part = torch.from_numpy(tokens[::step][:PATCHES_PER_SOURCE].astype(numpy.float32))
        upper = part
        for block in network.blocks:
            upper = block(upper)
        found.append((described, torch.cat([pool(part), pool(upper)], dim=1)))
    return found


def fit(features, targets, weights, class_count, penalty):
    centre, scale = features.mean(dim=0), 1 / (features.std(dim=0) + 1e-6)
    inputs = ((features - centre) * scale).clamp(-5, 5)
    linear = torch.nn.Linear(inputs.shape[1], class_count)
    torch.nn.init.zeros_(linear.weight)
    optimiser = torch.optim.LBFGS(linear.parameters(), max_iter=100, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        losses = functional.cross_entropy(linear(inputs), targets, reduction="none")
        loss = (weights * losses).sum() + penalty * (linear.weight**2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return lambda part: linear(((part - centre) * scale).clamp(-5, 5)).detach()


def weigh(targets, sources):
    """Families weigh alike, and within one its sources do."""
    weights = numpy.zeros(len(targets))
    for family in set(targets):
        rows = targets == family
        names, inverse = numpy.unique(sources[rows], return_inverse=True)
        weights[rows] = 1 / (len(names) * numpy.bincount(inverse)[inverse])
    return torch.from_numpy((weights / weights.sum()).astype(numpy.float32))


def leave_out(found, families, penalty):
    """Returns the probabilities of each source by what was fitted on the other owners."""
    folds = numpy.array(assign_folds([one for one, _ in found], fold_count=FOLD_COUNT))
    classes = numpy.array([families.index(to_class(one, families)) for one, _ in found])
    said = numpy.zeros((len(found), len(families)))
    for fold in range(FOLD_COUNT):
        kept = numpy.nonzero(folds != fold)[0]
        targets = numpy.concatenate([numpy.full(len(found[index][1]), classes[index]) for index in kept])
        sources = numpy.concatenate([numpy.full(len(found[index][1]), index) for index in kept])
        features = torch.cat([found[index][1] for index in kept])
        say = fit(features, torch.from_numpy(targets), weigh(targets, sources), len(families), penalty)
        for index in numpy.nonzero(folds == fold)[0]:
            said[index] = torch.softmax(say(found[index][1]).mean(dim=0), dim=0).numpy()
    return said, classes


def to_class(described, families):
    return described["family"] if described["family"] in families else OTHER


def describe(found, families, said, classes):
    called, sure = said.argmax(axis=1), said.max(axis=1)
    rows = []
    for number, family in enumerate(families[:-1]):
        owners = len({one["owner"] for one, _ in found if one["family"] == family})
        cells = []
        for least in SURE_FROM:
            named = (called == number) & (sure >= least)
            right = int((named & (classes == number)).sum())
            cells.append(f"{right} of {named.sum()}" if named.any() else "never")
        rows.append([family, int((classes == number).sum()), owners, *cells])
    return to_table(["family", "sources", "owners", *(f"right of those called it, from {least}" for least in SURE_FROM)], rows)


def run(arguments):
    network = UpperBlocks(arguments.weights, arguments.model).requires_grad_(False).eval()
    found = [one for part in ("learnt", "judged") for one in read_features(network, arguments.work / part)]
    owners = Counter(family for family, _ in {(one["family"], one["owner"]) for one, _ in found})
    families = [*sorted(family for family, count in owners.items() if count >= OWNERS_MIN), OTHER]
    for penalty in PENALTIES:
        said, classes = leave_out(found, families, penalty)
        print(f"penalty {penalty}: right in {(said.argmax(axis=1) == classes).mean():.2f} of {len(found)} sources\n")
        print(describe(found, families, said, classes), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    torch.set_num_threads(1)
    run(parser.parse_args())
