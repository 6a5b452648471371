"""Owns the two packs: what their windows are, and how the parts of each are found in the work folder."""

import json
from dataclasses import dataclass

from narrowness import Adjusted
from splits import FOLD_COUNT
from statistics_features import Statistics
from statistics_model import StatisticsEnsemble, load_member


@dataclass(frozen=True)
class Pack:
    key: str
    id: str
    name: str
    window_samples: int
    hop_samples: int
    window_count_max: int


PACKS = {
    "encoder": Pack("encoder", "assay-speech-encoder", "Assay speech encoder", 32_000, 24_000, 96),
    "statistics": Pack("statistics", "assay-speech-statistics", "Assay speech statistics", 20_480, 10_240, 256),
}
LICENCES = {"encoder": "MIT (the encoder) and Apache-2.0 (the lines and networks)", "statistics": "Apache-2.0"}
ORIGINS = {
    "encoder": "the encoder of Moonshine base, @usefulsensors/moonshine-js 0.1.17; the lines and networks trained by models/training/speech",
    "statistics": "trained by models/training/speech",
}
GOLDEN_TOLERANCES = {"encoder": 0.01, "statistics": 0.002}
"""A hundredth of the spread of the encoder's logits: GPUs round the products of its thirty layers of sums."""
TOGETHER = "together"
"""Names the evaluation of all packs fused, in their order here."""


def load_statistics(work, folds=range(FOLD_COUNT)):
    """Returns the models that left the folds out in one graph."""
    members = [load_member(work, fold) for fold in folds]
    return StatisticsEnsemble(Statistics(PACKS["statistics"].window_samples), members).eval()


def load_adjusted_statistics(work, fold=None):
    """Returns the same with the narrow-band adjustment of the calibration that is shipped, or of the one without a fold."""
    evaluation = load_fits(work, "statistics", fold)
    folds = range(FOLD_COUNT) if fold is None else [fold]
    return Adjusted(load_statistics(work, folds), evaluation["calibrations"][0]).eval()


def load_fits(work, key, fold=None):
    """Returns an evaluation as what is shipped needs it, or as a pack that left a fold out: fitted on the other four."""
    evaluation = load_evaluation(work, key)
    return evaluation if fold is None else {**evaluation, **evaluation["leftOut"][fold]}


def to_evaluation_file(work, key):
    return work / f"evaluation-{key}.json"


def load_evaluation(work, key):
    return json.loads(to_evaluation_file(work, key).read_text(encoding="utf-8"))
