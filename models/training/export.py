"""Stage 6: writes the detectors of the final training as ONNX with golden logits.

The packs are made in WORK/packs; the card stage adds what was measured. The
appliance recomputes the golden logits whenever it opens a session, on every device.
"""

import argparse
import hashlib
import json
import subprocess
from pathlib import Path

import numpy
import torch
from torch import nn

from crops import CropCollection
from extract import KINDS
from inception import TEXTURE_TAPS, VARIANCE_MIN, Textures
from linear import CLIP, StatisticsDetector
from network import ResidualNetwork
from parity import write_parity
from placement import INCEPTION_COUNT_MAX, PATCH_COUNT_MAX, PATCH_SIDE
from scoring import load_network
from splits import ALL_FOLDS, ROUNDS
from stored_weights import join_norms, round_weights, store_in_halves
from validate import fit_regression

PACKS_FOLDER = "packs"
PACK_OF_DETECTOR = {
    "residual": "assay-residual", "statistics": "assay-statistics", "textures": "assay-textures",
    "inception": "assay-inception",
}
COUNTS_MAX = {name: PATCH_COUNT_MAX for name in PACK_OF_DETECTOR} | {"inception": INCEPTION_COUNT_MAX}
"""Patches of a whole picture."""
MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
HEAD_FILE = "head.json"
HEAD_DIGITS = 7
WHOLE_BYTES_MAX = 16_000_000
"""A larger model is stored in half the bytes."""
GOLDEN_COUNT = 4
OPSET = 17


class ExportedNetwork(nn.Module):
    """The network with the stem's zero-sum rule and gain folded into plain weights."""

    def __init__(self, network: ResidualNetwork):
        super().__init__()
        stem = network.stem
        weight = (stem.weight - stem.weight.mean(dim=(2, 3), keepdim=True)) * stem.gain.exp().unsqueeze(1)
        self.stem = nn.Conv2d(3, weight.shape[0], weight.shape[2], padding=weight.shape[2] // 2, bias=False)
        self.stem.weight = nn.Parameter(weight.detach().clone(), requires_grad=False)
        self.body, self.head = network.body, network.head

    def forward(self, pixels):
        return self.head(self.body(torch.tanh(self.stem(pixels)))).mean(dim=(1, 2, 3))


class MeanNetwork(nn.Module):
    """Several networks: the mean of their logits."""

    def __init__(self, networks):
        super().__init__()
        self.networks = nn.ModuleList(networks)

    def forward(self, pixels):
        return torch.stack([network(pixels) for network in self.networks]).mean(dim=0)


def make_golden_patch(index):
    """Returns patch `index` of the rule in model.json, float32 [3, 128, 128] in 0..1."""
    channel, y, x = numpy.indices((3, PATCH_SIDE, PATCH_SIDE))
    value = x * (7 + index) + y * (13 + 2 * index) + channel * 29 + ((x * y) % (11 + index)) * 5
    return torch.from_numpy((value % 256).astype(numpy.float32) / 255)


def make_inception(work_folder):
    """The networks of both trainings: each source was seen by one of them."""
    trainings = sorted({round_.network for round_ in ROUNDS})
    members = [load_network(work_folder, folds, "inception")[0] for folds in trainings]
    members = [round_weights(join_norms(member.to(memory_format=torch.contiguous_format))) for member in members]
    return MeanNetwork(members)


class TexturesDetector(nn.Module):
    """Maps pixels [N, 3, H, W] in 0..1 to one logit per patch, as the appliance's converted model does."""

    def __init__(self, textures, head):
        super().__init__()
        self.textures, self.head = textures, head

    def forward(self, pixels):
        return self.head(self.textures(pixels))


def convert_textures(pack, head, node):
    """Has the appliance's converter make the model from the npm package, and keeps what model.json needs of it."""
    pack.mkdir(parents=True, exist_ok=True)
    described = pack / HEAD_FILE
    described.write_text(json.dumps({
        "measure": "deviation", "varianceMin": VARIANCE_MIN, "clip": CLIP,
        "centre": to_numbers(head.centre), "scale": to_numbers(head.scale),
        "weights": to_numbers(head.linear.weight[0]), "bias": float(head.linear.bias[0]),
    }), encoding="utf-8")
    script = Path(__file__).parent / "convert-head.ts"
    subprocess.run([node, script, described, TEXTURE_TAPS[-1], str(PATCH_SIDE), pack / GOLDEN_FILE], check=True)


def to_numbers(tensor):
    return [float(f"{value:.{HEAD_DIGITS}g}") for value in tensor.tolist()]


def write_model(pack, model):
    """Writes the graph, for any number of patches of PATCH_SIDE, and what it answers to the golden patches."""
    pack.mkdir(parents=True, exist_ok=True)
    golden = torch.stack([make_golden_patch(index) for index in range(GOLDEN_COUNT)])
    with torch.no_grad():
        expected = model(golden)
    torch.onnx.export(
        model, golden[:2], pack / MODEL_FILE, opset_version=OPSET,
        input_names=["pixels"], output_names=["logit"],
        dynamic_axes={"pixels": {0: "count"}, "logit": {0: "count"}},
    )
    if (pack / MODEL_FILE).stat().st_size > WHOLE_BYTES_MAX:
        store_in_halves(pack / MODEL_FILE)
    body = (pack / MODEL_FILE).read_bytes()
    (pack / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, 6) for value in expected.tolist()],
    }), encoding="utf-8")
    print(f"{pack.name}: {len(body)} bytes, golden logits {expected.tolist()}")


def export(work_folder, node):
    collection = CropCollection(work_folder)
    network, _ = load_network(work_folder, ALL_FOLDS, "residual")
    network.to(memory_format=torch.contiguous_format)
    heads = {kind: fit_regression(work_folder, collection, kind, ALL_FOLDS) for kind in KINDS}
    models = {
        "residual": ExportedNetwork(network), "statistics": StatisticsDetector(heads["statistics"]),
        "textures": TexturesDetector(Textures(work_folder, TEXTURE_TAPS), heads["textures"]),
        "inception": make_inception(work_folder),
    }
    for detector, model in models.items():
        pack = work_folder / PACKS_FOLDER / PACK_OF_DETECTOR[detector]
        if detector == "textures":
            convert_textures(pack, heads["textures"], node)
        else:
            write_model(pack, model.eval())
        write_parity(pack, model.eval(), COUNTS_MAX[detector])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--node", default="node", help="Node.js 24, in a checkout where npm ci was run")
    arguments = parser.parse_args()
    export(arguments.work, arguments.node)
