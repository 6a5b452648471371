"""Stage 3: what each fold's network says of pictures whose owners (or families) it never saw, beside the shipped one.

Both see the same patches. Sources weigh alike; intervals draw sources again, and the difference is drawn together:
it says what the tuning changed, not how hard the sources are.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from folds import FOLD_COUNT, assign_folds  # noqa: E402
from judge import to_pair_mean, weigh_sources  # noqa: E402
from metrics import to_auc, to_tpr_at_fpr  # noqa: E402
from tiers import TIERS  # noqa: E402
from upper import UpperBlocks  # noqa: E402

REPLICATE_COUNT = 400
BATCH_COUNT = 32


@torch.no_grad()
def score_source(network, meta):
    """Returns {(file, tier): (tuned logit, shipped logit)}, means over the picture's patches."""
    described = json.loads(meta.read_text(encoding="utf-8"))
    if not described["patches"]:
        return {}
    tokens = numpy.load(meta.with_suffix(".npy"), mmap_mode="r")
    tuned = numpy.concatenate([
        network(torch.from_numpy(tokens[start : start + BATCH_COUNT].astype(numpy.float32))).numpy()
        for start in range(0, len(tokens), BATCH_COUNT)
    ])
    gathered = defaultdict(list)
    for (file, tier, shipped), logit in zip(described["patches"], tuned):
        gathered[file, tier].append((float(logit), shipped))
    return {key: tuple(numpy.mean(values, axis=0)) for key, values in gathered.items()}


def score_all(arguments):
    metas = sorted((arguments.work / "judged").glob("*.json"))
    described = [json.loads(meta.read_text(encoding="utf-8")) for meta in metas]
    folds = assign_folds(described, arguments.by)
    rows = []
    for fold in range(FOLD_COUNT):
        checkpoint = arguments.runs / f"{arguments.by}-{fold}" / "checkpoint.pt"
        if not checkpoint.exists():
            continue
        network = UpperBlocks(arguments.weights, arguments.model)
        network.load_state_dict(torch.load(checkpoint)["average"])
        network.eval()
        for meta, one, left_out in zip(metas, described, folds):
            if left_out == fold:
                rows += [(one, *key, *scores, fold) for key, scores in score_source(network, meta).items()]
    return rows


def describe(rows):
    print("tier\tpictures\tsources\tshipped\ttuned\tdifference\tpairs shipped\tpairs tuned\tat 5 %\tat 5 % tuned")
    for tier in TIERS:
        kept = [row for row in rows if row[2] == tier.name]
        labels = numpy.array([row[0]["label"] == "artificial" for row in kept])
        sources = numpy.array([f"{row[0]['label']}/{row[0]['source']}" for row in kept])
        # Networks of other folds have other scales: each is brought to its own centre and deviation.
        tuned = standardise(numpy.array([row[3] for row in kept]), numpy.array([row[5] for row in kept]))
        shipped = numpy.array([row[4] for row in kept])
        weights = weigh_sources(sources, labels)
        values = [to_auc(scores, labels, weights) for scores in (shipped, tuned)]
        spread = resample(sources, labels, shipped, tuned)
        found = [to_tpr_at_fpr(scores, labels, weights, 0.05) for scores in (shipped, tuned)]
        pairs = [to_pair_mean(scores, labels, sources) for scores in (shipped, tuned)]
        print(
            f"{tier.name}\t{len(kept)}\t{len(set(sources))}\t" + "\t".join(
                f"{value:.3f} ({low:.3f}-{high:.3f})" for value, (low, high) in zip([*values, values[1] - values[0]], spread)
            ) + "\t" + "\t".join(f"{value:.3f}" for value in (*pairs, *found)), flush=True,
        )


def standardise(scores, folds):
    result = scores.copy()
    for fold in numpy.unique(folds):
        rows = folds == fold
        result[rows] = (scores[rows] - scores[rows].mean()) / scores[rows].std()
    return result


def resample(sources, labels, shipped, tuned):
    """Returns the intervals of shipped, tuned and their difference."""
    rng = numpy.random.default_rng(1)
    members = {name: numpy.nonzero(sources == name)[0] for name in numpy.unique(sources)}
    names = {label: [name for name, rows in members.items() if labels[rows[0]] == label] for label in (False, True)}
    drawn = []
    for _ in range(REPLICATE_COUNT):
        chosen = [name for label in names for name in rng.choice(names[label], len(names[label]))]
        rows = numpy.concatenate([members[name] for name in chosen])
        weights = numpy.concatenate([numpy.full(len(members[name]), 1 / len(members[name])) for name in chosen])
        first, second = (to_auc(scores[rows], labels[rows], weights) for scores in (shipped, tuned))
        drawn.append((first, second, second - first))
    return numpy.percentile(numpy.array(drawn), (2.5, 97.5), axis=0).T


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True, help="folder of owners-0, owners-1, … that tune.py wrote")
    parser.add_argument("--by", choices=("owners", "families"), default="owners")
    torch.set_num_threads(1)
    describe(score_all(parser.parse_args()))
