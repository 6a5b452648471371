"""Stage 3: hears every clip in every tier as the appliance does: finds speech, places windows, runs a graph on each.

Two graphs: the encoder's statistics, and the members of the hand-made statistics. A tier whose file is there is not
heard again; delete WORK/heard to start anew.
"""

import argparse
import subprocess
from pathlib import Path

import torch
from torch import nn

from encoder_graph import FEATURES, SOUND, make_features_graph, write_model
from heard import HEARD_FOLDER
from packs import PACKS, load_statistics
from scoring import HEARD_TIERS

SCRIPT = Path(__file__).parent / "hear-clips.ts"
MEMBERS = "members"
OPSET = 17


class Members(nn.Module):
    def __init__(self, ensemble):
        super().__init__()
        self.ensemble = ensemble

    def forward(self, sound):
        return self.ensemble.tell_apart(sound)


def make_encoder_features(work, encoder):
    path = work / "encoder-features.onnx"
    write_model(make_features_graph(encoder, PACKS["encoder"].window_samples), path)
    return path, FEATURES


def make_statistics_members(work):
    path = work / "statistics-members.onnx"
    torch.onnx.export(
        Members(load_statistics(work)), torch.zeros(2, PACKS["statistics"].window_samples), path, opset_version=OPSET,
        input_names=[SOUND], output_names=[MEMBERS], dynamic_axes={SOUND: {0: "count"}, MEMBERS: {0: "count"}},
    )
    return path, MEMBERS


def to_job(key, tier):
    seconds = ",".join(f"{value:g}" for value in tier.seconds)
    return f"{key}-{tier.name}={tier.variant}{':' if seconds else ''}{seconds}"


def hear(work, encoder, node):
    graphs = {"encoder": lambda: make_encoder_features(work, encoder), "statistics": lambda: make_statistics_members(work)}
    for key, make in graphs.items():
        missing = [tier for tier in HEARD_TIERS if not (work / HEARD_FOLDER / f"{key}-{tier.name}.json").exists()]
        if missing:
            path, output = make()
            pack = PACKS[key]
            jobs = [to_job(key, tier) for tier in missing]
            subprocess.run([node, SCRIPT, work, path, output, str(pack.window_samples), str(pack.hop_samples), *jobs], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's packages")
    arguments = parser.parse_args()
    hear(arguments.work, arguments.encoder, arguments.node)
