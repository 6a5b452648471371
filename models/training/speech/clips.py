"""Owns the cache of decoded clips and their codec variants."""

import json

import numpy

from splits import Ties, to_training_mask

CLIPS_FILE = "clips.json"
VARIANTS_FOLDER = "variants"
RATE = 16_000
TELEPHONE = ("telephone-mulaw", "telephone-g726", "telephone-opus", "telephone-celp")
WIDE = ("mp3-32", "mp3-64", "opus-24", "aac-32", "vorbis-40", "g722")
VARIANTS = (*WIDE, *TELEPHONE)


class ClipCollection:
    """The rows of WORK/clips.json with their samples, mapped from disk."""

    def __init__(self, work, variants=("clean", *VARIANTS)):
        """`variants` are those whose samples will be read."""
        index = json.loads((work / CLIPS_FILE).read_text(encoding="utf-8"))
        self.sha256, self.rows = index["sha256"], index["clips"]
        self.folds = numpy.array([row["fold"] for row in self.rows])
        self.is_artificial = numpy.array([row["label"] == "artificial" for row in self.rows])
        self.sources = numpy.array([f"{row['label']}/{row['source']}" for row in self.rows])
        self.ties = Ties(self.rows)
        self.offsets = numpy.concatenate([[0], numpy.cumsum([row["length"] for row in self.rows])])
        self.samples = {
            name: numpy.memmap(work / VARIANTS_FOLDER / f"{name}.s16", dtype="<i2", mode="r")
            for name in variants
        }

    def read(self, index, variant="clean"):
        """Returns one clip's samples as int16."""
        return self.samples[variant][self.offsets[index] : self.offsets[index + 1]]

    def in_training(self, fold):
        """Returns the numbers of the clips that may be trained on when a fold is left out; None: all."""
        if fold is None:
            return numpy.arange(len(self.rows))
        return numpy.nonzero(to_training_mask(self.ties, self.folds, fold))[0]

    def in_fold(self, fold):
        return numpy.nonzero(self.folds == fold)[0]
