"""Stage 2b: computes the statistics of augmented windows once, for all folds; resumable by parts.

The statistics of a window do not depend on the fold, so one bank serves every
left-out fold: a fold's model reads only the rows of its training clips.
"""

import argparse
from pathlib import Path

import numpy
import torch

from augment import WINDOW_SAMPLES, make_windows
from clips import ClipCollection
from statistics_features import Statistics

BANK_FOLDER = "statistics"
BATCH_SIZE = 48
ROUNDS = 32


@torch.no_grad()
def extract_round(statistics, collection, round_number, seed):
    """Returns one augmented window's statistics per clip, float32 [clips, count]."""
    rng = numpy.random.default_rng((seed, round_number))
    order = numpy.random.default_rng((seed, round_number, 1)).permutation(len(collection.rows))
    result = None
    for start in range(0, len(order), BATCH_SIZE):
        indices = order[start : start + BATCH_SIZE]
        rows = statistics(make_windows(collection, indices, rng)).numpy()
        if result is None:
            result = numpy.empty((len(order), rows.shape[1]), dtype=numpy.float32)
        result[indices] = rows
    return result


def extract(work, round_count, seed):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    collection = ClipCollection(work)
    statistics = Statistics(WINDOW_SAMPLES).eval()
    folder = work / BANK_FOLDER
    folder.mkdir(exist_ok=True)
    for number in range(round_count):
        if not (folder / f"round-{number}.npz").exists():
            save(folder / f"round-{number}.npz", rows=extract_round(statistics, collection, number, seed))
            print(f"round {number + 1} of {round_count}", flush=True)


def save(path, **arrays):
    """Writes beside and renames: a crash never leaves half a part."""
    temporary = path.with_name(f"{path.stem}.tmp.npz")
    numpy.savez(temporary, **arrays)
    temporary.rename(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="augmented windows per clip")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    extract(arguments.work, arguments.rounds, arguments.seed)
