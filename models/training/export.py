"""Stage 4: writes the averaged network as ONNX with golden logits.

The pack is made in WORK/pack; the card stage adds what was measured. The
appliance recomputes the golden logits whenever it opens a session, on every device.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy
import torch
from torch import nn

from network import ResidualNetwork
from placement import ALIGN_PX, PATCH_COUNT_MAX, PATCH_SIDE
from scoring import load_network

PACK_FOLDER = "pack"
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


def make_golden_patch(index):
    """Returns patch `index` of the rule in model.json, float32 [3, 128, 128] in 0..1."""
    channel, y, x = numpy.indices((3, PATCH_SIDE, PATCH_SIDE))
    value = x * (7 + index) + y * (13 + 2 * index) + channel * 29 + ((x * y) % (11 + index)) * 5
    return torch.from_numpy((value % 256).astype(numpy.float32) / 255)


def export(work_folder):
    network, _ = load_network(work_folder)
    network.to(memory_format=torch.contiguous_format)
    exported = ExportedNetwork(network).eval()
    pack = work_folder / PACK_FOLDER
    pack.mkdir(exist_ok=True)
    golden = torch.stack([make_golden_patch(index) for index in range(GOLDEN_COUNT)])
    with torch.no_grad():
        expected = exported(golden)
        difference = (expected - network(golden)).abs().max().item()
    torch.onnx.export(
        exported, golden[:2], pack / MODEL_FILE, opset_version=OPSET,
        input_names=["pixels"], output_names=["logit"],
        dynamic_axes={"pixels": {0: "count", 2: "height", 3: "width"}, "logit": {0: "count"}},
    )
    body = (pack / MODEL_FILE).read_bytes()
    (work_folder / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, 6) for value in expected.tolist()],
    }), encoding="utf-8")
    print(f"{len(body)} bytes; folded and unfolded network differ by {difference:.2e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    export(parser.parse_args().work)
