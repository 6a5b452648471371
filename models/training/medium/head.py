"""Stage 3: the head that says the medium: one softmax regression on what the origin network sees, the mean over its places, in every
tier. Nothing is clipped, so the head of a mean is the mean of the heads, and it can ride in that network's graph.
Chosen on left-out owners of the inside harvest; the outside one is measured once.

Writes head.npz (media, weights [F, M], bias [M]), left-out.npz and figures.md.
"""

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy
import torch
from torch.nn import functional

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from scored import wilson  # noqa: E402
from tables import to_table  # noqa: E402
from traces.folds import assign_folds  # noqa: E402

FEATURE_COUNT = 1536
PENALTY = 1.0
"""Tried: .03 and .3, which learn the sources by heart (2.2 and 1.8 bits of a medium where 1 has 1.5), and 3 (1.6)."""
FOLD_COUNT = 3
OWNERS_MIN = 30
"""A medium with fewer owners is not learnt: it could not be measured either."""
SPREAD_MIN = 1e-3
ITERATIONS_MAX = 40
SURE_MIN = 0.6
"""From this probability on the medium is said, below it is unknown: as in src/domain/media/medium.ts."""


def read_pictures(index, folders):
    """Returns (rows, features [pictures, FEATURE_COUNT]): each picture of the index once in each tier in which its features are there."""
    with open(index, newline="", encoding="utf-8") as stream:
        described = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
    found = {}
    for folder in folders:
        lines = [json.loads(line) for line in (folder / "features.jsonl").read_text(encoding="utf-8").splitlines()]
        features = numpy.memmap(folder / "features.f16", numpy.float16, "r").reshape(-1, FEATURE_COUNT)
        for line, seen in zip(lines, features):
            if line["file"] in described:
                found.setdefault((line["file"], line["tier"]), ({**described[line["file"]], **line}, seen))
    return [row for row, _ in found.values()], numpy.stack([seen for _, seen in found.values()]).astype(numpy.float32)


def assign_owners(rows):
    """Returns the fold of each row; rows of one group or owner share one."""
    return numpy.array(assign_folds([{**row, "group": row["group"] or row["owner"]} for row in rows], fold_count=FOLD_COUNT))


def minimise(parameters, to_loss, iterations_max):
    """Changes the parameters in place."""
    optimiser = torch.optim.LBFGS(parameters, max_iter=iterations_max, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        loss = to_loss()
        loss.backward()
        return loss

    optimiser.step(closure)


class Pictures:
    """Pictures of media that have enough owners."""

    def __init__(self, index, folders):
        rows, features = read_pictures(index, folders)
        owners = {}
        for row in rows:
            if row["harvest"] == "inside":
                owners.setdefault(row["medium"], set()).add(row["owner"])
        self.media = sorted(medium for medium, own in owners.items() if len(own) >= OWNERS_MIN)
        kept = [row["medium"] in self.media for row in rows]
        self.rows = [row for row, is_kept in zip(rows, kept) if is_kept]
        self.features = features[kept]
        self.labels = numpy.array([self.media.index(row["medium"]) for row in self.rows])
        self.owners = numpy.array([row["owner"] for row in self.rows])
        self.inside = numpy.array([row["harvest"] == "inside" for row in self.rows])
        self.folds = assign_owners(self.rows)


def weigh(owners, labels, count):
    """Media weigh alike; within one an owner weighs the root of its pictures. Sums to one."""
    weights = numpy.zeros(len(labels))
    for label in range(count):
        own = labels == label
        if own.any():
            _, inverse = numpy.unique(owners[own], return_inverse=True)
            part = 1 / numpy.sqrt(numpy.bincount(inverse)[inverse])
            weights[own] = part / part.sum() / count
    return weights / weights.sum()


def fit(features, labels, weights, count, penalty):
    """Returns (weights [F, M], bias [M]) on features as they are; the penalty holds for standardised ones."""
    centre, scale = features.mean(axis=0), 1 / (features.std(axis=0) + SPREAD_MIN)
    inputs = torch.from_numpy((features - centre) * scale)
    targets, shares = torch.from_numpy(labels), torch.from_numpy(weights.astype(numpy.float32))
    matrix = torch.zeros(inputs.shape[1], count, requires_grad=True)
    bias = torch.zeros(count, requires_grad=True)

    def to_loss():
        losses = functional.cross_entropy(inputs @ matrix + bias, targets, reduction="none")
        return (shares * losses).sum() + penalty * (matrix**2).sum()

    minimise([matrix, bias], to_loss, ITERATIONS_MAX)
    folded = matrix.detach().numpy() * scale[:, None]
    return folded, bias.detach().numpy() - centre @ folded


def to_probabilities(logits):
    raised = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def predict(pictures):
    """Returns (weights, bias, probabilities): the head of all inside pictures, and what heads that never saw the owner say of each."""
    count = len(pictures.media)
    found = numpy.zeros((len(pictures.rows), count))

    def learn(kept):
        shares = weigh(pictures.owners[kept], pictures.labels[kept], count)
        return fit(pictures.features[kept], pictures.labels[kept], shares, count, PENALTY)

    for fold in range(FOLD_COUNT):
        asked = pictures.inside & (pictures.folds == fold)
        matrix, bias = learn(pictures.inside & ~asked)
        found[asked] = to_probabilities(pictures.features[asked] @ matrix + bias)
    matrix, bias = learn(pictures.inside)
    found[~pictures.inside] = to_probabilities(pictures.features[~pictures.inside] @ matrix + bias)
    return matrix, bias, found


def make_medium_table(pictures, chosen, probabilities):
    """How often each medium was said where it is (recall), how often it is where it was said (precision), each where sure."""
    called, sure = probabilities.argmax(axis=1), probabilities.max(axis=1) >= SURE_MIN
    table = []
    for label, medium in enumerate(pictures.media):
        own, said = chosen & (pictures.labels == label), chosen & (called == label) & sure
        owners = len(set(pictures.owners[own]))
        if not own.any():
            continue
        shares = weigh(pictures.owners[own], numpy.zeros(own.sum(), dtype=int), 1)
        right, kept = float(shares @ (called[own] == label)), float(shares @ (sure[own] & (called[own] == label)))
        low, high = wilson(right, owners)
        others = sorted(((float(shares @ (called[own] == other)), pictures.media[other]) for other in range(len(pictures.media)) if other != label), reverse=True)[:2]
        precise = (pictures.labels[said] == label).mean() if said.any() else float("nan")
        table.append([
            medium, f"{own.sum()} of {owners}", f"{100 * right:.0f} % ({100 * low:.0f}–{100 * high:.0f})", f"{100 * kept:.0f} %",
            f"{100 * precise:.0f} % of {said.sum()}", ", ".join(f"{name} {100 * share:.0f}" for share, name in others),
        ])
    return to_table(["", "pictures of owners", "said right", "said, where sure", "right, where sure", "taken for"], table)


def main(arguments):
    torch.manual_seed(0)
    pictures = Pictures(arguments.index, arguments.features)
    matrix, bias, found = predict(pictures)
    tiers, inside = numpy.array([row["tier"] for row in pictures.rows]), pictures.inside
    parts = []
    for harvest, chosen in (("Inside, owners left out", inside), ("Outside", ~inside)):
        for tier in ("clean", "web", "hard"):
            parts += [f"{harvest}, {tier}:", make_medium_table(pictures, chosen & (tiers == tier), found)]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "figures.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    numpy.savez(arguments.out / "head.npz", media=pictures.media, weights=matrix.astype(numpy.float32), bias=bias.astype(numpy.float32))
    names = [f"{row['tier']} {row['file']}" for row in pictures.rows]
    numpy.savez(arguments.out / "left-out.npz", names=names, media=pictures.media, folds=pictures.folds, probabilities=found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True, action="append", help="folder that extract.py wrote; of several the first counts")
    parser.add_argument("--out", type=Path, required=True)
    main(parser.parse_args())
