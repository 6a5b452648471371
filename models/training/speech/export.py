"""Stage 5: writes the five fold models of a pack, adjusted for narrow bands, as one ONNX graph with golden logits.

The pack is made in WORK/pack-<key>; the card stage adds what was measured. The
appliance recomputes the golden logits whenever it opens a session, on every device.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy
import torch

from packs import PACKS, load_shipped
from parity import write_parity
from scoring import WINDOW_SAMPLES

MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
GOLDEN_COUNT = 4
OPSET = 17


def to_pack_folder(work, key):
    return work / f"pack-{key}"


def make_golden_windows():
    """Returns the windows of the rule in model.json, float32 [4, samples]: a tone and a noise that integers make."""
    time = numpy.arange(WINDOW_SAMPLES, dtype=numpy.float64)
    windows = []
    for index in range(GOLDEN_COUNT):
        noise = ((time * 1_103_515_245 + 12_345 * (index + 1)) % 2**31) / 2**30 - 1
        windows.append(0.1 * numpy.sin(0.05 * (index + 1) * time) + 0.05 * noise)
    return torch.from_numpy(numpy.stack(windows).astype(numpy.float32))


def export(work, key):
    ensemble = load_shipped(work, key)
    folder = to_pack_folder(work, key)
    folder.mkdir(exist_ok=True)
    golden = make_golden_windows()
    with torch.no_grad():
        expected = ensemble(golden)
    torch.onnx.export(
        ensemble, golden[:2], folder / MODEL_FILE, opset_version=OPSET,
        input_names=["sound"], output_names=["logit"],
        dynamic_axes={"sound": {0: "count"}, "logit": {0: "count"}},
    )
    body = (folder / MODEL_FILE).read_bytes()
    (folder / GOLDEN_FILE).write_text(json.dumps({
        "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, 6) for value in expected.tolist()],
    }), encoding="utf-8")
    write_parity(folder, ensemble)
    print(f"{key}: {len(body)} bytes, golden logits {[round(value, 4) for value in expected.tolist()]}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pack", choices=[*PACKS], action="append")
    arguments = parser.parse_args()
    for key in arguments.pack or [*PACKS]:
        export(arguments.work, key)
