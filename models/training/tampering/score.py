"""Stage 4: scores every sample by the network that was not trained on its fold.

Writes WORK/scores.npz, a row per sample: fold, source, kind, quality, logit, and the
logits and truth of its cells.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch

sys.path.append(str(Path(__file__).resolve().parent.parent))

from evidence_network import make_network
from sample_cache import SampleCache
from rounds import ROUNDS, training_folder
from train import CHECKPOINT_FILE

SCORES_FILE = "scores.npz"
BATCH = 32


def list_rounds(work):
    """Returns the rounds whose network was trained; with both trained every fold is measured once."""
    rounds = [round_ for round_ in ROUNDS if to_checkpoint(work, round_.network).exists()]
    if not rounds:
        raise SystemExit(f"no network was trained in {work}: run train.py first")
    return rounds


def list_networks(work):
    """Returns the folds that each trained network saw."""
    return tuple(dict.fromkeys(round_.network for round_ in list_rounds(work)))


def to_checkpoint(work, folds):
    return training_folder(work, folds) / CHECKPOINT_FILE


def load_network(work, folds):
    """Returns the averaged network of a training, and what its checkpoint says of it."""
    state = torch.load(to_checkpoint(work, folds), map_location="cpu")
    network = make_network()
    network.load_state_dict(state["average"])
    return network.eval(), {name: state[name] for name in ("folds", "step", "elapsed_s", "sample_count")}


def run_network(network, cache):
    """Returns (logits [N], cell logits [N, R, S], trust logits [N, R, S]) of every sample."""
    parts = []
    with torch.no_grad():
        for first in range(0, len(cache), BATCH):
            rows = numpy.arange(first, min(first + BATCH, len(cache)))
            parts.append([part.numpy() for part in network(torch.from_numpy(cache.read_traces(rows)))])
    return tuple(numpy.concatenate(columns) for columns in zip(*parts))


def score(work):
    columns = {}
    for round_ in list_rounds(work):
        cache = SampleCache(work, (round_.test,))
        logits, cells, trust = run_network(load_network(work, round_.network)[0], cache)
        for name, values in (
            ("folds", cache.folds), ("sources", cache.sources), ("kinds", cache.kinds),
            ("qualities", cache.qualities), ("truth", cache.cells), ("logits", logits),
            ("cells", cells.astype(numpy.float32)), ("trust", trust.astype(numpy.float32)),
        ):
            columns.setdefault(name, []).append(values)
        print(f"fold {round_.test}: {len(cache)} samples by the network of folds {round_.network}", flush=True)
    numpy.savez(work / SCORES_FILE, **{name: numpy.concatenate(parts) for name, parts in columns.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    score(arguments.work)
