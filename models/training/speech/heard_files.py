"""Owns what hear-files.ts wrote of whole files: of each file and tier the standardised windows' sums, ready to fit lines on."""

import json
from dataclasses import dataclass

import numpy

from encoder_graph import FEATURE_COUNT

TIERS = ("clean", "mp3-64", "telephone")
ALL_TIERS = (*TIERS, "one-band", "varied")


@dataclass
class HeardFiles:
    """Of one list of files, a row for each file and tier that was heard and has speech."""

    files: list
    tiers: numpy.ndarray
    speech_seconds: numpy.ndarray
    statistics: numpy.ndarray
    """Mean logit of the statistics pack."""
    windows: numpy.ndarray
    """Features, [windows, FEATURE_COUNT]."""
    owners: numpy.ndarray
    """Row of each window."""
    places: numpy.ndarray
    """Where each window lies in what was written."""

    def average(self, values):
        """Returns the mean over the windows of each row, values [windows, ...]."""
        total = numpy.zeros((len(self.files), *values.shape[1:]), dtype=numpy.float32)
        numpy.add.at(total, self.owners, values)
        count = numpy.bincount(self.owners, minlength=len(self.files))
        return total / count.reshape(-1, *(1 for _ in values.shape[1:]))


def read_heard_files(folder, name, seconds_min):
    """Reads NAME.jsonl and NAME.f32; leaves out what has less than `seconds_min` of speech, or none that a pack answers."""
    lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    starts = numpy.concatenate([[0], numpy.cumsum([line["windows"] for line in lines])])
    stored = numpy.memmap(folder / f"{name}.f32", dtype="<f4", mode="r")
    rows = min(len(stored) // FEATURE_COUNT, int(starts[-1]))
    windows = stored[: rows * FEATURE_COUNT].reshape(rows, FEATURE_COUNT)
    kept = [
        index for index, line in enumerate(lines)
        if line["windows"] and line.get("statistics") is not None and line["speechSeconds"] >= seconds_min
        and starts[index + 1] <= rows
    ]
    picked = numpy.concatenate([numpy.arange(starts[index], starts[index + 1]) for index in kept])
    return HeardFiles(
        [lines[index]["file"] for index in kept], numpy.array([ALL_TIERS.index(lines[index]["tier"]) for index in kept]),
        numpy.array([lines[index]["speechSeconds"] for index in kept]),
        numpy.array([lines[index]["statistics"] for index in kept]), numpy.array(windows[picked]),
        numpy.repeat(numpy.arange(len(kept)), [lines[index]["windows"] for index in kept]), picked,
    )


def read_lines(paths, name):
    """Returns {(file, tier): value} of what a program wrote a line for each file and tier of; a value that is missing is left out."""
    found = {}
    for path in paths:
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if line["tier"] in TIERS and line.get(name) is not None:
                found[line["file"], TIERS.index(line["tier"])] = line[name]
    return found
