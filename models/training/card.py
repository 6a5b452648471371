"""Stage 7: writes model.json and CARD.md of all packs from what the other stages measured, and publishes them."""

import argparse
import json
import os
import shutil
from pathlib import Path

from calibrate import CALIBRATION_FILE
from card_text import describe_data, make_card
from crops import CropCollection
from evaluate import EVALUATION_FILE, SCORES_FILE
from export import GOLDEN_FILE, MODEL_FILE, PACK_OF_DETECTOR, PACKS_FOLDER
from manifest import make_manifest
from outcome import DETECTORS
from parity import PARITY_FILE

MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def publish(pack, destination):
    """Replaces the files by renames, the manifest last: its SHA-256 tells which model it describes."""
    destination.mkdir(parents=True, exist_ok=True)
    files = (MODEL_FILE, CARD_FILE, SCORES_FILE, PARITY_FILE, MANIFEST_FILE)
    names = [name for name in files if (pack / name).exists()]
    for name in names:
        shutil.copyfile(pack / name, destination / f".{name}.tmp")
    for name in names:
        os.replace(destination / f".{name}.tmp", destination / name)


def write_cards(work_folder, versions, destination):
    calibration = read_json(work_folder / CALIBRATION_FILE)
    evaluation = read_json(work_folder / EVALUATION_FILE)
    if calibration["trainings"] != evaluation["trainings"]:
        raise SystemExit("calibration and figures are of different trainings: run evaluate.py and calibrate.py again")
    collection = CropCollection(work_folder)
    # The scores are fused: one copy, beside the first.
    shutil.copyfile(work_folder / SCORES_FILE, work_folder / PACKS_FOLDER / PACK_OF_DETECTOR[DETECTORS[0]] / SCORES_FILE)
    for detector in DETECTORS:
        pack = work_folder / PACKS_FOLDER / PACK_OF_DETECTOR[detector]
        golden = read_json(pack / GOLDEN_FILE)
        manifest = make_manifest(detector, versions, calibration, evaluation, golden, describe_data(collection))
        (pack / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        card = make_card(detector, versions[detector], calibration, evaluation, collection)
        (pack / CARD_FILE).write_text(card, encoding="utf-8")
        if destination:
            publish(pack, destination / pack.name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    for detector in DETECTORS:
        parser.add_argument(f"--{detector}-version", required=True)
    parser.add_argument("--models", type=Path, help="folder of packs, in which they are replaced")
    arguments = parser.parse_args()
    versions = {detector: getattr(arguments, f"{detector}_version") for detector in DETECTORS}
    write_cards(arguments.work, versions, arguments.models)
