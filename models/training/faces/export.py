"""Stage 6: writes the shipped network as ONNX with golden logits.

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

from evaluate import load_round
from face_network import LOWER_STAGES
from train import SHIPPED_ROUND
from views import SIDE

PACK_FOLDER = "pack"
MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
GOLDEN_COUNT = 4
OPSET = 17


class ExportedFaceNetwork(nn.Module):
    """The network with the stem's zero-sum rule and gain folded into plain weights."""

    def __init__(self, network):
        super().__init__()
        stem = network.stem
        weight = (stem.weight - stem.weight.mean(dim=(2, 3), keepdim=True)) * stem.gain.exp().unsqueeze(1)
        self.stem = nn.Conv2d(3, weight.shape[0], weight.shape[2], padding=weight.shape[2] // 2, bias=False)
        self.stem.weight = nn.Parameter(weight.detach().clone(), requires_grad=False)
        self.network = network

    def forward(self, pixels):
        lower = self.network.body[: LOWER_STAGES](torch.tanh(self.stem(pixels)))
        return self.network.judge_lower(lower)


def make_golden_view(index):
    """Returns view `index` of the rule of all image packs, float32 [3, SIDE, SIDE] in 0..1."""
    channel, y, x = numpy.indices((3, SIDE, SIDE))
    value = x * (7 + index) + y * (13 + 2 * index) + channel * 29 + ((x * y) % (11 + index)) * 5
    return torch.from_numpy((value % 256).astype(numpy.float32) / 255)


def export(work):
    model = ExportedFaceNetwork(load_round(work, SHIPPED_ROUND)).eval()
    golden = torch.stack([make_golden_view(index) for index in range(GOLDEN_COUNT)])
    with torch.no_grad():
        expected = model(golden)
    folder = work / PACK_FOLDER
    folder.mkdir(exist_ok=True)
    torch.onnx.export(
        model, golden[:2], folder / MODEL_FILE, opset_version=OPSET,
        input_names=["pixels"], output_names=["logit"],
        dynamic_axes={"pixels": {0: "count"}, "logit": {0: "count"}},
    )
    body = (folder / MODEL_FILE).read_bytes()
    (folder / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, 6) for value in expected.tolist()],
    }), encoding="utf-8")
    print(f"{len(body)} bytes, golden logits {expected.tolist()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    export(parser.parse_args().work)
