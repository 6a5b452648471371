"""Owns the two packs: their names and how the parts of each are found in the work folder."""

import json
from dataclasses import dataclass

import torch

from narrowness import Adjusted
from network import Ensemble, SpeechNetwork
from scoring import WINDOW_SAMPLES
from splits import FOLD_COUNT
from statistics_features import Statistics
from statistics_model import StatisticsEnsemble, load_member
from train import to_checkpoint_file


@dataclass(frozen=True)
class Pack:
    key: str
    id: str
    name: str


PACKS = {
    "network": Pack("network", "assay-speech", "Assay speech network"),
    "statistics": Pack("statistics", "assay-speech-statistics", "Assay speech statistics"),
}
TOGETHER = "together"
"""Names the evaluation of all packs fused, in their order here."""


def load_network(work, fold):
    """Returns the averaged network that left a fold out, and what its checkpoint says of its training."""
    state = torch.load(to_checkpoint_file(work, fold), map_location="cpu")
    network = SpeechNetwork()
    network.load_state_dict(state["average"])
    return network.eval(), {"step": state["step"], "elapsed_s": round(state["elapsed_s"])}


def load_ensemble(work, key):
    """Returns the five fold models in one graph."""
    if key == "network":
        return Ensemble([load_network(work, fold)[0] for fold in range(FOLD_COUNT)]).eval()
    members = [load_member(work, fold) for fold in range(FOLD_COUNT)]
    return StatisticsEnsemble(Statistics(WINDOW_SAMPLES), members).eval()


def load_shipped(work, key):
    """Returns what is shipped: the ensemble with the narrow-band adjustment of its calibration."""
    evaluation = json.loads(to_evaluation_file(work, key).read_text(encoding="utf-8"))
    return Adjusted(load_ensemble(work, key), evaluation["calibrations"][0]).eval()


def to_evaluation_file(work, key):
    return work / f"evaluation-{key}.json"
