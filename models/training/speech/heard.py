"""Owns what hear-clips.ts wrote: a graph's outputs for each window that the appliance would place in a clip."""

import json
from dataclasses import dataclass

import numpy

HEARD_FOLDER = "heard"


@dataclass
class Heard:
    """`rows` [windows, outputs], the clip of each window, and the seconds of speech of each clip."""

    rows: numpy.ndarray
    owners: numpy.ndarray
    speech_seconds: numpy.ndarray

    @property
    def answered(self):
        """The mask of clips with at least one window."""
        return numpy.bincount(self.owners, minlength=len(self.speech_seconds)) > 0

    def average(self, values):
        """Returns the mean over each clip's windows, not a number where there is none."""
        count = numpy.bincount(self.owners, minlength=len(self.speech_seconds))
        total = numpy.bincount(self.owners, values, len(self.speech_seconds))
        return numpy.where(count > 0, total / numpy.maximum(count, 1), numpy.nan)


def load_heard(work, name, width):
    index = json.loads((work / HEARD_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    rows = numpy.fromfile(work / HEARD_FOLDER / f"{name}.f32", dtype="<f4").reshape(-1, width)
    return Heard(rows, numpy.array(index["owners"]), numpy.array(index["speechSeconds"]))
