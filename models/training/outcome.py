"""Owns what the cross-validation leaves behind: the logits of every detector on sources that neither had seen."""

import json
from dataclasses import dataclass

import numpy

from scoring import weigh
from splits import ROUNDS
from texture import find_refused
from tiers import CONFOUNDS, TIERS

OUTCOME_FILE = "outcome.npz"
TRAININGS_FILE = "outcome.json"
DETECTORS = ("residual", "statistics", "textures", "inception")
NETWORKS = ("residual", "inception")
TIER_NAMES = tuple(tier.name for tier in (*TIERS, *CONFOUNDS))
QUALITY_TIER_NAMES = tuple(tier.name for tier in TIERS)


@dataclass
class Part:
    """Some crops of a collection, with what the figures need of them; parallel arrays."""

    indices: numpy.ndarray
    is_artificial: numpy.ndarray
    sources: numpy.ndarray
    weights: numpy.ndarray


def take_part(collection, folds):
    """Returns the crops of some folds that the appliance would not refuse as found."""
    refused = find_refused(collection)
    indices = numpy.array([
        index for index, crop in enumerate(collection.crops) if crop.fold in folds and not refused[index]
    ])
    crops = [collection.crops[index] for index in indices]
    is_artificial = numpy.array([crop.is_artificial for crop in crops])
    sources = numpy.array([f"{crop.label}/{crop.source}" for crop in crops])
    return Part(indices, is_artificial, sources, weigh(sources, is_artificial))


class Outcome:
    """`logits[test fold, tier, detector]` covers all crops; only those of the round's two folds are numbers."""

    def __init__(self, work_folder):
        with numpy.load(work_folder / OUTCOME_FILE) as stored:
            self.logits = {tuple(name.split("/")): stored[name] for name in stored.files}
        self.trainings = json.loads((work_folder / TRAININGS_FILE).read_text(encoding="utf-8"))

    def read(self, test_fold, tier_name, part):
        """Returns [crops of the part, detectors]."""
        columns = [self.logits[str(test_fold), tier_name, name][part.indices] for name in DETECTORS]
        return numpy.stack(columns, axis=1)

    def read_tested(self, tier_name, part, collection):
        """Returns each crop's logits from the round in which its fold was the test fold."""
        result = numpy.empty((len(part.indices), len(DETECTORS)))
        folds = numpy.array([collection.crops[index].fold for index in part.indices])
        for round_ in ROUNDS:
            rows = folds == round_.test
            result[rows] = self.read(round_.test, tier_name, part)[rows]
        return result
