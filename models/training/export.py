"""Stage 6: writes the detectors of the final training as ONNX with golden logits.

The packs are made in WORK/packs; the card stage adds what was measured. The
appliance recomputes the golden logits whenever it opens a session, on every device.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy
import torch
from torch import nn

from crops import CropCollection
from linear import StatisticsDetector
from network import ResidualNetwork
from parity import write_parity
from placement import PATCH_SIDE
from scoring import load_network
from splits import ALL_FOLDS, ROUNDS
from validate import fit_statistics

PACKS_FOLDER = "packs"
PACK_OF_DETECTOR = {"residual": "assay-residual", "statistics": "assay-statistics", "inception": "assay-inception"}
MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
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
    body = (pack / MODEL_FILE).read_bytes()
    (pack / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, 6) for value in expected.tolist()],
    }), encoding="utf-8")
    print(f"{pack.name}: {len(body)} bytes, golden logits {expected.tolist()}")


def export(work_folder):
    network, _ = load_network(work_folder, ALL_FOLDS, "residual")
    network.to(memory_format=torch.contiguous_format)
    head = fit_statistics(work_folder, CropCollection(work_folder), ALL_FOLDS)
    members = [load_network(work_folder, folds, "inception")[0] for folds in sorted({round_.network for round_ in ROUNDS})]
    models = {
        "residual": ExportedNetwork(network), "statistics": StatisticsDetector(head),
        "inception": MeanNetwork(members).to(memory_format=torch.contiguous_format),
    }
    for detector, model in models.items():
        pack = work_folder / PACKS_FOLDER / PACK_OF_DETECTOR[detector]
        write_model(pack, model.eval())
        write_parity(pack, model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    export(parser.parse_args().work)
