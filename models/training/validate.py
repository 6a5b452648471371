"""Stage 4: fits the transformer's heads with each fold left out, and scores the whole pictures that they have not seen.

What is shipped is fitted on all folds; it has no left-out data of its own, and the figures are those of the recipe.
"""

import argparse
from pathlib import Path

import numpy
import torch

from crops import CropCollection
from extract import IN_BYTES, part_path
from heads import LearningData, fit_heads, to_owners
from splits import ALL_FOLDS
from whole import CACHES, read_pictures

HEADS_FILE = "heads-{}.pt"
"""Of the fold that was left out, or of `all`."""
SCORES_FILE = "{}-scores.npy"
"""Of a cache: a score for each of its pictures."""


@torch.no_grad()
def score(heads, features, owners, count):
    """A picture's score is the mean of its patches' logits; NaN where it has none among these."""
    logits = heads(torch.from_numpy(features.astype(numpy.float32))).numpy()
    with numpy.errstate(invalid="ignore"):
        return numpy.bincount(owners, logits, count) / numpy.bincount(owners, minlength=count)


class Cache:
    """The pictures of a cache with the features of their patches, and the scores of heads that had not seen them."""

    def __init__(self, work_folder, name):
        self.name, self.pictures = name, read_pictures(work_folder, name)
        self.folds = numpy.array([picture.fold for picture in self.pictures])
        self.owners = to_owners(self.pictures)
        self.features = numpy.load(part_path(work_folder, IN_BYTES.format(name)))
        self.scores = numpy.full(len(self.pictures), numpy.nan)

    def take_scores(self, heads, fold):
        rows = numpy.nonzero(self.folds[self.owners] == fold)[0]
        scored = score(heads, self.features[rows], self.owners[rows], len(self.pictures))
        self.scores[self.folds == fold] = scored[self.folds == fold]


def validate(work_folder):
    data = LearningData(work_folder, CropCollection(work_folder), read_pictures(work_folder, "whole"))
    caches = [Cache(work_folder, name) for name in CACHES]
    for left_out in (*ALL_FOLDS, None):
        heads = fit_heads(data, [fold for fold in ALL_FOLDS if fold != left_out])
        torch.save(heads.state_dict(), work_folder / HEADS_FILE.format(left_out or "all"))
        for cache in caches if left_out is not None else ():
            cache.take_scores(heads, left_out)
        print(f"without fold {left_out}: fitted" if left_out is not None else "all folds: fitted", flush=True)
    for cache in caches:
        numpy.save(work_folder / SCORES_FILE.format(cache.name), cache.scores)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    torch.set_num_threads(1)
    validate(parser.parse_args().work)
