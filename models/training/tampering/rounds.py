"""Owns the rounds of the cross-validation of edits: which folds a network learns from, and which measure it."""

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from splits import ALL_FOLDS  # noqa: E402


@dataclass(frozen=True)
class Round:
    """One fold measures, one calibrates, the others train; the network may be trained on fewer, to serve several rounds."""

    test: int
    calibration: int
    network: tuple

    @property
    def train(self):
        return tuple(fold for fold in ALL_FOLDS if fold not in (self.test, self.calibration))


ROUNDS = (
    Round(1, 2, (4, 5)),
    Round(2, 3, (4, 5)),
    Round(3, 1, (4, 5)),
    Round(4, 5, (1, 2, 3)),
    Round(5, 4, (1, 2, 3)),
)
"""Every fold measures once; two trainings of the network serve all, since each training costs hours."""


def training_folder(work_folder, folds):
    """Where the checkpoint and log of a network's training on these folds lie."""
    return work_folder / f"folds-{''.join(str(fold) for fold in sorted(folds))}"
