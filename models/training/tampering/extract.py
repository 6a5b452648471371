"""Stage 2: makes the samples of each fold and computes their traces, once.

Writes WORK/samples/fold-N.npz (what the samples are) and fold-N.npy (traces, 16-bit floats).
A fold whose index is there is not made again. Each host of a fold is used equally often: once
authentic and once edited, with histories drawn independently.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch

sys.path.append(str(Path(__file__).resolve().parent.parent))

from crops import CropCollection
from hosts import Hosts
from samples import AUTHENTIC, KINDS, choose_kind, make_sample, to_cells
from splits import ALL_FOLDS
from traces import Traces

SAMPLES_FOLDER = "samples"
SIDE_PX = 176
HOSTS_PER_FOLD = 2000
BATCH = 16


def to_sample_files(work, fold):
    """Returns (index, traces) of a fold's samples."""
    return work / SAMPLES_FOLDER / f"fold-{fold}.npz", work / SAMPLES_FOLDER / f"fold-{fold}.npy"


def draw_hosts(hosts, count, rng):
    """Returns `count` crops: sources by turns, so that each gives about as many."""
    order = {source: list(rng.permutation(len(crops))) for source, crops in hosts.crops_by_source.items()}
    chosen = []
    while len(chosen) < count:
        for source in rng.permutation(hosts.sources):
            crops, left = hosts.crops_by_source[source], order[source]
            chosen.append(crops[left.pop()] if left else crops[rng.integers(len(crops))])
    return chosen[:count]


def make_samples(collection, fold, count, seed):
    """Yields (sample, crop of its host): each host authentic, then edited."""
    hosts = Hosts(collection, (fold,))
    rng = numpy.random.default_rng((seed, fold))
    for crop in draw_hosts(hosts, count, rng):
        pixels = collection.read(crop)
        for kind in (AUTHENTIC, choose_kind(rng)):
            donor = hosts.draw_donor(crop.source, rng)
            yield make_sample(pixels, donor, kind, SIDE_PX, rng), crop


def to_tensor(samples):
    """Turns the pixels of samples into float32 [N, 3, S, S] in 0..1."""
    pixels = torch.from_numpy(numpy.stack([sample.pixels for sample in samples]))
    return pixels.permute(0, 3, 1, 2).float().div_(255)


def extract_fold(collection, fold, arguments):
    index_file, traces_file = to_sample_files(arguments.work, fold)
    if index_file.exists():
        return
    traces = Traces().eval()
    count, cells_side = 2 * arguments.hosts, SIDE_PX // 8
    temporary = traces_file.with_suffix(".tmp")
    out = numpy.lib.format.open_memmap(
        temporary, mode="w+", dtype=numpy.float16, shape=(count, traces.width, cells_side, cells_side)
    )
    made = list(make_samples(collection, fold, arguments.hosts, arguments.seed))
    with torch.no_grad():
        for first in range(0, count, BATCH):
            batch = [sample for sample, _ in made[first : first + BATCH]]
            out[first : first + len(batch)] = traces(to_tensor(batch)).numpy()
    out.flush()
    temporary.rename(traces_file)
    numpy.savez_compressed(
        index_file,
        cells=numpy.stack([to_cells(sample.mask) for sample, _ in made]),
        kinds=numpy.array([sample.kind for sample, _ in made]),
        qualities=numpy.array([sample.quality for sample, _ in made]),
        sources=numpy.array([crop.source for _, crop in made]),
        crops=numpy.array([crop.offset for _, crop in made]),
    )
    edited = [sample for sample, _ in made if sample.kind != AUTHENTIC]
    shares = ", ".join(f"{kind} {sum(sample.kind == kind for sample in edited)}" for kind in KINDS)
    print(f"fold {fold}: {count} samples of {len({crop.source for _, crop in made})} sources; {shares}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hosts", type=int, default=HOSTS_PER_FOLD, help="hosts of a fold; each makes two samples")
    parser.add_argument("--folds", default=",".join(map(str, ALL_FOLDS)))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    (arguments.work / SAMPLES_FOLDER).mkdir(exist_ok=True)
    for fold in (int(part) for part in arguments.folds.split(",")):
        extract_fold(CropCollection(arguments.work), fold, arguments)
