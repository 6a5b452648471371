"""Stage 6: writes model.json and CARD.md of a pack from what the other stages measured, and publishes it."""

import argparse
import json
import os
import shutil
from pathlib import Path

from card_text import make_card
from clips import RATE, ClipCollection
from export import GOLDEN_FILE, MODEL_FILE, to_pack_folder
from packs import PACKS, to_evaluation_file
from scoring import HOP_SAMPLES, WINDOW_SAMPLES

MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
WINDOW_COUNT_MAX = 256
MINIMUM_SPEECH_SECONDS = 2
GOLDEN_TOLERANCE = 0.002
FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious",
)


def read_json(path):
    return json.loads(path.read_text(encoding="utf-8"))


def to_figure(tier):
    rounded = {name: round(tier["figures"][name], FIGURE_DIGITS) for name in MANIFEST_FIGURES}
    low, high = (round(value, FIGURE_DIGITS) for value in tier["intervals"]["auc"])
    head = {"tier": tier["tier"], "sources": tier["sources"], "clips": tier["clips"]}
    return {**head, "auc": rounded.pop("auc"), "aucLow": low, "aucHigh": high, **rounded}


def describe_count(collection):
    counts = []
    for name, mask in (("human", ~collection.is_artificial), ("artificial", collection.is_artificial)):
        counts.append(f"{int(mask.sum()):,} {name} clips of {len(set(collection.sources[mask]))} sources")
    return " and ".join(counts)


def make_manifest(pack, version, evaluation, golden, collection):
    calibration = evaluation["calibration"]
    return {
        "schema": 1, "id": pack.id, "version": version, "name": pack.name,
        "task": "speech-origin", "mediaKind": "audio", "axis": "generated",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "sound", "layout": "samples", "sampleRate": RATE},
        "view": {"type": "windows", "windowSamples": WINDOW_SAMPLES, "hopSamples": HOP_SAMPLES,
                 "countMax": WINDOW_COUNT_MAX},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": calibration["slope"],
                        "intercept": calibration["intercept"], "set": evaluation["set"]},
        "decision": {"cautiousThreshold": calibration["cautiousThreshold"],
                     "inconclusiveLow": calibration["inconclusiveLow"],
                     "inconclusiveHigh": calibration["inconclusiveHigh"], "weight": pack.weight},
        "minimumSpeechSeconds": MINIMUM_SPEECH_SECONDS, "licence": "Apache-2.0",
        "source": "trained by models/training/speech", "trainedOn": describe_count(collection),
        "figures": [to_figure(tier) for tier in evaluation["tiers"]],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCE, "expected": golden["expected"]},
    }


def publish(folder, destination):
    """Replaces the three files by renames, the manifest last: its SHA-256 tells which model it describes."""
    destination.mkdir(parents=True, exist_ok=True)
    names = (MODEL_FILE, CARD_FILE, MANIFEST_FILE)
    for name in names:
        shutil.copyfile(folder / name, destination / f".{name}.tmp")
    for name in names:
        os.replace(destination / f".{name}.tmp", destination / name)


def write_card(arguments):
    work, pack = arguments.work, PACKS[arguments.pack]
    folder, collection = to_pack_folder(work, pack.key), ClipCollection(work)
    evaluation, golden = read_json(to_evaluation_file(work, pack.key)), read_json(folder / GOLDEN_FILE)
    together = read_json(to_evaluation_file(work, "together"))
    manifest = make_manifest(pack, arguments.version, evaluation, golden, collection)
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    note = f" {arguments.note}" if arguments.note else ""
    card = make_card(work, pack, arguments.version, evaluation, together, collection, note)
    (folder / CARD_FILE).write_text(card, encoding="utf-8")
    if arguments.into:
        publish(folder, arguments.into)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pack", choices=[*PACKS], required=True)
    parser.add_argument("--version", default="1.0.0")
    parser.add_argument("--note", default="", help="a sentence for the card about how the pack was made")
    parser.add_argument("--into", type=Path, help="folder of the pack that is replaced")
    write_card(parser.parse_args())
