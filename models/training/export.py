"""Stage 6: writes packs with golden logits: what is shipped, and for each fold one that knows nothing of it.

The packs lie in WORK/packs/all and WORK/packs/fold-N, with `folds.tsv` beside them: `npm run evaluate -- --packs`
sends every file through the pack that has not seen its source. The card stage adds what was measured so.
"""

import argparse
import csv
import hashlib
import json
from pathlib import Path

import torch
from torch import nn

from calibrate import CALIBRATION_FILE
from crops import CropCollection
from extract import open_transformer
from golden_patches import make_golden_planes
from heads import load_heads
from manifest import MANIFEST_FILE, PACK_ID, make_manifest
from placement import PATCH_SIDE
from splits import ALL_FOLDS
from quantise import store_in_bytes
from stored_weights import round_weights
from validate import HEADS_FILE

PACKS_FOLDER = "packs"
FOLDS_FILE = "folds.tsv"
MODEL_FILE = "model.onnx"
GOLDEN_COUNT = 8
GOLDEN_DIGITS = 6
OPSET = 17


class TransformerDetector(nn.Module):
    """Maps pixels [N, 3, 128, 128] in 0..1 to one logit per patch."""

    def __init__(self, transformer, heads):
        super().__init__()
        self.transformer, self.heads = transformer, heads

    def forward(self, pixels):
        return self.heads(self.transformer(pixels))


def make_detector(work_folder, transformer, name):
    heads = load_heads(work_folder / HEADS_FILE.format(name))
    return TransformerDetector(transformer, round_weights(heads)).eval()


def write_model(pack, model):
    """Writes the graph, for any number of patches, and returns what model.json says of it."""
    pack.mkdir(parents=True, exist_ok=True)
    golden = torch.from_numpy(make_golden_planes(GOLDEN_COUNT, PATCH_SIDE))
    with torch.no_grad():
        expected = model(golden)
    torch.onnx.export(
        model, golden[:2], pack / MODEL_FILE, opset_version=OPSET,
        input_names=["pixels"], output_names=["logit"],
        dynamic_axes={"pixels": {0: "count"}, "logit": {0: "count"}},
    )
    store_in_bytes(pack / MODEL_FILE)
    body = (pack / MODEL_FILE).read_bytes()
    return {
        "file": MODEL_FILE, "sha256": hashlib.sha256(body).hexdigest(),
        "expected": [round(value, GOLDEN_DIGITS) for value in expected.tolist()],
    }


def write_folds(path, collection):
    folds = sorted({(crop.label, crop.source, crop.fold) for crop in collection.crops})
    with open(path, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
        writer.writerow(("label", "source", "fold"))
        writer.writerows(folds)


def export(work_folder, version):
    collection = CropCollection(work_folder)
    calibration = json.loads((work_folder / CALIBRATION_FILE).read_text(encoding="utf-8"))
    packs = work_folder / PACKS_FOLDER
    transformer = open_transformer(work_folder, collection)
    for name in ("all", *ALL_FOLDS):
        fitted = calibration["all"] if name == "all" else calibration["leftOut"][str(name)]
        pack = packs / (name if name == "all" else f"fold-{name}") / PACK_ID
        model = make_detector(work_folder, transformer, name)
        written = write_model(pack, model)
        manifest = make_manifest(version, fitted, calibration["set"], written, collection)
        (pack / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        (pack / "CARD.md").write_text(f"# {PACK_ID} {version}, for measuring: fold {name}\n", encoding="utf-8")
        print(f"{pack}: {(pack / MODEL_FILE).stat().st_size} bytes, golden logits {written['expected']}", flush=True)
    write_folds(packs / FOLDS_FILE, collection)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    export(arguments.work, arguments.version)
