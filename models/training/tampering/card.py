"""Stage 8: writes model.json and CARD.md from what the other stages measured, and publishes the pack."""

import argparse
import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from calibrate import CALIBRATION_FILE
from card_text import make_card
from evaluate import ENCODINGS, EVALUATION_FILE, REPLICATE_COUNT
from export import GOLDEN_FILE, MODEL_FILE, PACK_FOLDER
from publish import publish
from samples import KINDS
from shipped import TILE_PX
from traces import CELL_PX

PACK_ID = "assay-tampering"
MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
SMOKE_FILE = "smoke.json"
TILES_MAX = 192
"""About six megapixels, or a second and a half of a processor core."""
FRAME_TILES_MAX = 48
GOLDEN_TOLERANCE = 0.01
FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious", "pixelF1",
)


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def to_figure(name, measured):
    def rounded(value):
        return round(value, FIGURE_DIGITS)

    row = {"tier": name, "sources": measured["sources"], "images": measured["images"]}
    for figure in MANIFEST_FIGURES:
        row[figure] = rounded(measured["figures"][figure])
        if figure in ("auc", "pixelF1"):
            row[f"{figure}Low"], row[f"{figure}High"] = (rounded(value) for value in measured["intervals"][figure])
    return row


def make_figures(evaluation):
    rows = [to_figure("all", evaluation["all"])]
    rows += [to_figure(kind, evaluation["byKind"][kind]) for kind in KINDS]
    rows += [to_figure(name, evaluation["byEncoding"][name]) for name, _ in ENCODINGS]
    return rows


def make_manifest(version, calibration, evaluation, golden):
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": "Assay traces of editing",
        "task": "image-tampering", "mediaKind": "image", "axis": "edited",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {"type": "tiles", "size": TILE_PX, "align": CELL_PX, "cell": CELL_PX,
                 "countMax": TILES_MAX, "frameCountMax": FRAME_TILES_MAX},
        "output": {"name": "evidence", "type": "evidence", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": 1, "intercept": 0, "set": "in the graph, from left-out folds"},
        "decision": make_decision(calibration),
        "cellThreshold": round(calibration["cell_threshold"], 2),
        "minimumShortSide": TILE_PX, "licence": "Apache-2.0", "source": "trained by models/training/tampering",
        "trainedOn": describe_trained(evaluation["trainings"]),
        "figures": make_figures(evaluation),
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "items": golden["items"], "expected": golden["expected"]},
    }


def describe_trained(trainings):
    parts = [f"{trained['crops']:,} human pictures of {trained['sources']} sources" for trained in trainings]
    return " and ".join(parts) + ", each several times as it was and edited by program"


def make_decision(calibration):
    """Nothing is called edited below the cautious threshold: on pictures larger than the crops false alarms were not measured."""
    cautious = round(calibration["cautious_threshold"] + 5e-7, 6)
    return {
        "cautiousThreshold": cautious, "inconclusiveLow": calibration["low"],
        "inconclusiveHigh": max(calibration["high"], cautious), "weight": 1,
    }


def write(arguments):
    work = arguments.work
    pack = work / PACK_FOLDER
    evaluation, calibration = read_json(work / EVALUATION_FILE), read_json(work / CALIBRATION_FILE)
    golden = read_json(pack / GOLDEN_FILE)
    smoke = read_json(work / SMOKE_FILE) if (work / SMOKE_FILE).exists() else None
    manifest = make_manifest(arguments.version, calibration, evaluation, golden)
    (pack / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    (pack / CARD_FILE).write_text(make_card(manifest, evaluation, smoke, REPLICATE_COUNT), encoding="utf-8")
    if arguments.models:
        publish(pack, arguments.models / PACK_ID, (MODEL_FILE, CARD_FILE, MANIFEST_FILE))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--models", type=Path, help="folder of packs to publish into; without it the pack stays in WORK")
    write(parser.parse_args())
