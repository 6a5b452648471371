"""Stage 3: finds the directions in which traces of edited cells differ from others, and projects every sample on them.

Fisher's linear discriminants, one for each kind of edit and strength of the final compression, in closed
form from hundreds of thousands of cells: what a network would need far more samples to find. Writes
directions.pt and projected-FOLD.npy (16-bit floats) to the folder of the training.
"""

import argparse
import sys
from pathlib import Path

import numpy
import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parent.parent))

from extract import to_sample_files
from sample_cache import SampleCache
from samples import KINDS
from splits import ALL_FOLDS, training_folder
from traces import Traces

DIRECTIONS_FILE = "directions.pt"
TRACE_MAX = 5.0
"""Standardised traces beyond this are cut off."""
EPSILON = 1e-3
BATCH = 32
UNTOUCHED_SHARE = 0.12
"""Of the untouched cells that are counted: there are ten times as many as edited ones."""
EDITED_MIN = 0.75
RIDGE = 0.01
PROBE_COUNT = 256
KEPT_TRACES = 3
"""The last traces go through as they are: brightness, detail, clipping."""
GROUPS = (
    ("lossless or light", lambda quality: (quality >= 85) | (quality < -85)),
    ("middle", lambda quality: (abs(quality) >= 70) & (abs(quality) < 85) | (quality == -85)),
    ("strong", lambda quality: abs(quality) < 70),
)
DIRECTION_COUNT = len(KINDS) * len(GROUPS)
WIDTH = DIRECTION_COUNT + KEPT_TRACES


class Directions(nn.Module):
    """Maps traces [N, C, R, S] to [N, WIDTH, R, S]. Fixed once fitted.

    Every cell is described by its standardised traces, their difference to the mean of the picture in units of
    its spread, and the size of that difference.
    """

    def __init__(self, trace_width):
        super().__init__()
        self.register_buffer("mean", torch.zeros(1, trace_width, 1, 1))
        self.register_buffer("scale", torch.ones(1, trace_width, 1, 1))
        self.register_buffer("weight", torch.zeros(DIRECTION_COUNT, 3 * trace_width, 1, 1))
        self.register_buffer("bias", torch.zeros(DIRECTION_COUNT))

    def describe(self, traces):
        """Returns [N, 3 C, R, S]."""
        standard = torch.clamp((traces - self.mean) * self.scale, -TRACE_MAX, TRACE_MAX)
        difference = standard - standard.mean(dim=(2, 3), keepdim=True)
        spread = torch.sqrt((difference * difference).mean(dim=(2, 3), keepdim=True) + EPSILON)
        relative = difference / spread
        return torch.cat([standard, relative, relative.abs()], dim=1)

    def forward(self, traces):
        described = self.describe(traces)
        projected = nn.functional.conv2d(described, self.weight, self.bias)
        kept = described[:, self.mean.shape[1] - KEPT_TRACES : self.mean.shape[1]]
        return torch.cat([projected, kept], dim=1)


class Scatter:
    """Sums of described cells by class: 0 is untouched, then each kind in each group."""

    def __init__(self, width):
        self.square = torch.zeros(width, width, dtype=torch.float64)
        self.sums = torch.zeros(1 + DIRECTION_COUNT, width, dtype=torch.float64)
        self.counts = torch.zeros(1 + DIRECTION_COUNT, dtype=torch.float64)

    def add(self, cells, classes):
        """cells float32 [M, width], classes [M]."""
        self.square += (cells.t() @ cells).double()
        self.sums.index_add_(0, classes, cells.double())
        self.counts += torch.bincount(classes, minlength=1 + DIRECTION_COUNT)

    def solve(self):
        """Returns (weight [D, width], bias [D]): projections of untouched cells have mean 0, of all within-class deviation 1."""
        means = self.sums / self.counts.clamp(min=1)[:, None]
        within = (self.square - (means * self.counts[:, None]).t() @ means) / self.counts.sum()
        within += RIDGE * within.diagonal().mean() * torch.eye(len(within), dtype=torch.float64)
        weight = torch.linalg.solve(within, (means[1:] - means[0]).t()).t()
        deviation = torch.sqrt(((weight @ within) * weight).sum(dim=1).clamp(min=1e-12))
        weight = weight / deviation[:, None]
        return weight.float(), -(weight @ means[0]).float()


def to_classes(cache):
    """Returns the class of an edited cell of each row; 0 for authentic rows."""
    classes = numpy.zeros(len(cache), dtype=numpy.int64)
    for number, kind in enumerate(KINDS):
        for group, (_, matches) in enumerate(GROUPS):
            classes[(cache.kinds == kind) & matches(cache.qualities)] = 1 + number * len(GROUPS) + group
    return classes


def fit(cache, seed):
    """Returns the fitted directions."""
    directions = Directions(Traces().width)
    probe = torch.from_numpy(cache.read_traces(numpy.linspace(0, len(cache) - 1, PROBE_COUNT).astype(int)))
    directions.mean.copy_(probe.mean(dim=(0, 2, 3)).view(1, -1, 1, 1))
    directions.scale.copy_(1 / (probe.std(dim=(0, 2, 3)).view(1, -1, 1, 1) + EPSILON))
    scatter, classes = Scatter(directions.weight.shape[1]), to_classes(cache)
    rng = numpy.random.default_rng(seed)
    for first in range(0, len(cache), BATCH):
        rows = numpy.arange(first, min(first + BATCH, len(cache)))
        described = directions.describe(torch.from_numpy(cache.read_traces(rows))).permute(0, 2, 3, 1)
        truth = cache.cells[rows]
        untouched = (truth == 0) & (rng.random(truth.shape) < UNTOUCHED_SHARE)
        chosen = (truth >= EDITED_MIN) | untouched
        labels = numpy.where(truth >= EDITED_MIN, classes[rows][:, None, None], 0)
        scatter.add(described[torch.from_numpy(chosen)], torch.from_numpy(labels[chosen]))
    weight, bias = scatter.solve()
    directions.weight.copy_(weight[:, :, None, None])
    directions.bias.copy_(bias)
    return directions


def to_projected_file(work, folds, fold):
    return training_folder(work, folds) / f"projected-{fold}.npy"


def project(work, directions, folds, fold):
    cache = SampleCache(work, (fold,))
    parts = [
        directions(torch.from_numpy(cache.read_traces(numpy.arange(first, min(first + BATCH, len(cache))))))
        .half().numpy()
        for first in range(0, len(cache), BATCH)
    ]
    numpy.save(to_projected_file(work, folds, fold), numpy.concatenate(parts))


def run(arguments):
    folder = training_folder(arguments.work, arguments.folds)
    folder.mkdir(exist_ok=True)
    with torch.no_grad():
        directions = fit(SampleCache(arguments.work, arguments.folds), arguments.seed)
        for fold in ALL_FOLDS:
            if to_sample_files(arguments.work, fold)[0].exists():
                project(arguments.work, directions, arguments.folds, fold)
    torch.save(directions.state_dict(), folder / DIRECTIONS_FILE)
    print(f"{DIRECTION_COUNT} directions from folds {arguments.folds}", flush=True)


def parse_folds(text):
    return tuple(sorted(int(fold) for fold in text.split(",")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--folds", required=True, type=parse_folds, help="folds that are learnt from, as 1,2,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    run(arguments)
