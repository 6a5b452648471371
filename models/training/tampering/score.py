"""Stage 5: scores every sample by the network that was not trained on its fold.

Writes WORK/scores.npz, a row per sample: fold, source, kind, quality, logit, and the
logits and truth of its cells.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch

sys.path.append(str(Path(__file__).resolve().parent.parent))

from directions import DIRECTIONS_FILE, Directions, to_projected_file
from evidence_network import EvidenceNetwork
from sample_cache import SampleCache
from splits import ROUNDS, training_folder
from traces import Traces
from train import CHECKPOINT_FILE

SCORES_FILE = "scores.npz"
BATCH = 32
NETWORK_FOLDS = tuple(dict.fromkeys(round_.network for round_ in ROUNDS))
"""The folds that each network was trained on; every fold is left out by one of them."""


def load_network(work, folds):
    """Returns the averaged network of a training, and what its checkpoint says of it."""
    path = training_folder(work, folds) / CHECKPOINT_FILE
    state = torch.load(path, map_location="cpu")
    network = EvidenceNetwork()
    network.load_state_dict(state["average"])
    return network.eval(), {name: state[name] for name in ("folds", "step", "elapsed_s", "sample_count")}


def load_directions(work, folds):
    directions = Directions(Traces().width)
    directions.load_state_dict(torch.load(training_folder(work, folds) / DIRECTIONS_FILE))
    return directions


def run_network(network, projected):
    """Returns (logits [N], cell logits [N, R, S], trust logits [N, R, S]) of every sample."""
    parts = []
    with torch.no_grad():
        for first in range(0, len(projected), BATCH):
            batch = torch.from_numpy(projected[first : first + BATCH].astype(numpy.float32))
            parts.append([part.numpy() for part in network(batch)])
    return tuple(numpy.concatenate(columns) for columns in zip(*parts))


def score(work):
    columns = {}
    for round_ in ROUNDS:
        cache = SampleCache(work, (round_.test,))
        projected = numpy.load(to_projected_file(work, round_.network, round_.test))
        logits, cells, trust = run_network(load_network(work, round_.network)[0], projected)
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
