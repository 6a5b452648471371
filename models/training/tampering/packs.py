"""Stage 11: makes packs of WORK/graphs and WORK/pictures.json: WORK/packs/all, and for each fold one to measure with.

`npm run evaluate -- --packs WORK/packs` sends every whole picture to the pack that has not seen its source.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from calibrate import CALIBRATION_FILE
from export import GOLDEN_FILE, MODEL_FILE, to_graph_folder
from fit_pictures import PICTURES_FILE, read_index
from shipped import TILE_PX
from splits import ALL_FOLDS
from traces import CELL_PX

PACK_ID = "assay-tampering"
PACKS_FOLDER = "packs"
MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
TILES_MAX = 400
"""About twelve megapixels, or three seconds of a processor core: a 200-pixel edit of a 4000-pixel picture is looked at."""
FRAME_TILES_MAX = 48
GOLDEN_TOLERANCE = 0.01
DIGITS = 6

def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def to_pack_folder(work, name):
    return work / PACKS_FOLDER / name / PACK_ID


def make_manifest(version, work, name, trained_on):
    """Returns the manifest of a graph, without figures."""
    head, golden = read_json(work / PICTURES_FILE)[name], read_json(to_graph_folder(work, name) / GOLDEN_FILE)
    decision = head["decision"]
    return {
        "schema": 1, "id": PACK_ID, "version": version, "name": "Assay traces of editing",
        "task": "image-tampering", "mediaKind": "image", "axis": "edited",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "pixels", "layout": "nchw", "colour": "rgb", "mean": [0, 0, 0], "std": [1, 1, 1]},
        "view": {"type": "tiles", "size": TILE_PX, "align": CELL_PX, "cell": CELL_PX,
                 "countMax": TILES_MAX, "frameCountMax": FRAME_TILES_MAX},
        "output": {"name": "evidence", "type": "evidence", "positive": "artificial", "aggregation": "mean"},
        "picture": {"intercept": head["intercept"], "features": head["features"]},
        "calibration": {"type": "platt", "slope": round(decision["slope"], DIGITS),
                        "intercept": round(decision["intercept"], DIGITS), "set": "left-out whole pictures, edited by program"},
        "decision": to_bounds(decision),
        "cellThreshold": round(read_json(work / CALIBRATION_FILE)["cell_threshold"], 2),
        "minimumShortSide": TILE_PX, "licence": "Apache-2.0", "source": "trained by models/training/tampering",
        "trainedOn": trained_on, "figures": [],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "items": golden["items"], "expected": golden["expected"]},
    }


def to_bounds(decision):
    """Nothing is called edited below the cautious threshold: the score is too weak for less."""
    cautious = round(decision["cautiousThreshold"], DIGITS)
    return {
        "cautiousThreshold": cautious, "inconclusiveLow": decision["inconclusiveLow"],
        "inconclusiveHigh": max(decision["inconclusiveHigh"], cautious), "weight": 1,
    }


def write_pack(work, name, manifest, card):
    folder = to_pack_folder(work, name)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(to_graph_folder(work, name) / MODEL_FILE, folder / MODEL_FILE)
    (folder / CARD_FILE).write_text(card, encoding="utf-8")
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def run(work, version):
    for fold in ALL_FOLDS:
        manifest = make_manifest(version, work, f"fold-{fold}", "the other folds")
        write_pack(work, f"fold-{fold}", manifest, f"# {PACK_ID}, without fold {fold}\n\nTo measure with, not to install.\n")
    fold_of = {row["source"]: row["fold"] for row in read_index(work).values()}
    # The index of the folds knows the labels of the origin: an edited picture goes by the second.
    lines = [f"{label}\t{source}\t{fold}" for source, fold in sorted(fold_of.items()) for label in ("human", "artificial")]
    (work / PACKS_FOLDER / "folds.tsv").write_text("\n".join(["label\tsource\tfold", *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    arguments = parser.parse_args()
    run(arguments.work, arguments.version)
