"""Owns the reading of what the extract stage wrote: traces, masks and descriptions of samples."""

import numpy
import torch

from extract import to_sample_files
from samples import AUTHENTIC

PROBE_COUNT = 64


class SampleCache:
    """The samples of some folds. Row 2i is a host as it was, row 2i + 1 the same host edited."""

    def __init__(self, work, folds):
        self.traces, parts = [], {}
        for fold in folds:
            index_file, traces_file = to_sample_files(work, fold)
            if not index_file.exists():
                raise SystemExit(f"{index_file} is missing: run extract.py first")
            self.traces.append(numpy.load(traces_file, mmap_mode="r"))
            with numpy.load(index_file) as index:
                for name in ("cells", "kinds", "qualities", "sources", "crops"):
                    parts.setdefault(name, []).append(index[name])
                parts.setdefault("folds", []).append(numpy.full(len(index["kinds"]), fold))
        self.starts = numpy.cumsum([0, *(len(traces) for traces in self.traces)])
        self.cells, self.kinds, self.qualities, self.sources, self.crops, self.folds = (
            numpy.concatenate(parts[name]) for name in ("cells", "kinds", "qualities", "sources", "crops", "folds")
        )

    def __len__(self):
        return int(self.starts[-1])

    @property
    def pair_count(self):
        return len(self) // 2

    @property
    def is_edited(self):
        return self.kinds != AUTHENTIC

    def read_traces(self, rows):
        """Returns float32 [N, C, R, S] of the rows, in their order."""
        files = numpy.searchsorted(self.starts, rows, side="right") - 1
        return numpy.stack([
            self.traces[file][row - self.starts[file]] for file, row in zip(files, rows)
        ]).astype(numpy.float32)

    def to_labels(self, rows):
        """Returns 1 for an edited row and 0 for an authentic one, float32 [N]."""
        return torch.from_numpy(self.is_edited[rows].astype(numpy.float32))

    def measure_deviation(self):
        """Returns the deviation of each trace over some samples, float32 [1, C, 1, 1]."""
        rows = numpy.linspace(0, len(self) - 1, min(PROBE_COUNT, len(self))).astype(int)
        deviation = self.read_traces(rows).std(axis=(0, 2, 3))
        return torch.from_numpy(deviation).view(1, -1, 1, 1)
