"""Stage 6: writes model.json and CARD.md of both packs from what the other stages measured, and publishes them."""

import argparse
import json
import shutil
import sys
from pathlib import Path

from card_text import make_card
from clips import RATE, ClipCollection
from evaluate import SCORES_FILE
from export import GOLDEN_FILE, MODEL_FILE, PARITY_FILE, to_pack_folder
from figures import SHORT_BELOW_SECONDS
from packs import PACKS, TOGETHER, load_fits
from score import SPEECH_SECONDS_MIN
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from publish import publish  # noqa: E402

MANIFEST_FILE = "model.json"
CARD_FILE = "CARD.md"
LICENCE_FILE = "LICENSE-moonshine.txt"
PUBLISHED_FILES = (MODEL_FILE, LICENCE_FILE, CARD_FILE, SCORES_FILE, PARITY_FILE, MANIFEST_FILE)
LICENCES = {"encoder": "MIT (the encoder) and Apache-2.0 (the lines)", "statistics": "Apache-2.0"}
ORIGINS = {
    "encoder": "the encoder of Moonshine base, @usefulsensors/moonshine-js 0.1.17; the lines trained by models/training/speech",
    "statistics": "trained by models/training/speech",
}
GOLDEN_TOLERANCES = {"encoder": 0.01, "statistics": 0.002}
"""A hundredth of the spread of the encoder's logits: GPUs round the products of its thirty layers of sums."""
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


def make_manifest(pack, versions, evaluations, golden, collection):
    """`versions` of all packs: bounds of the fused score hold for exactly these."""
    evaluation, together = evaluations[pack.key], evaluations[TOGETHER]
    calibration = evaluation["calibrations"][0]
    keys = [f"{other.id}@{versions[other.key]}" for other in PACKS.values()]
    return {
        "schema": 1, "id": pack.id, "version": versions[pack.key], "name": pack.name,
        "task": "speech-origin", "mediaKind": "audio", "axis": "generated",
        "file": MODEL_FILE, "sha256": golden["sha256"],
        "input": {"name": "sound", "layout": "samples", "sampleRate": RATE},
        "view": {"type": "windows", "windowSamples": pack.window_samples, "hopSamples": pack.hop_samples,
                 "countMax": pack.window_count_max},
        "output": {"name": "logit", "type": "logit", "positive": "artificial", "aggregation": "mean"},
        "calibration": {"type": "platt", "slope": calibration["slope"],
                        "intercept": calibration["intercept"], "set": evaluation["set"],
                        "floor": calibration["floor"]},
        "decision": {**evaluation["bounds"], "weight": together["weights"][[*PACKS].index(pack.key)],
                     "together": {"packs": keys, **together["bounds"]},
                     "short": {"belowSpeechSeconds": SHORT_BELOW_SECONDS, **evaluation["shortBounds"],
                               "together": together["shortBounds"]}},
        "minimumSpeechSeconds": SPEECH_SECONDS_MIN, "licence": LICENCES[pack.key],
        "source": ORIGINS[pack.key], "trainedOn": describe_count(collection),
        "figures": [to_figure(tier) for tier in evaluation["tiers"]],
        "golden": {"seed": 1, "tolerance": GOLDEN_TOLERANCES[pack.key], "expected": golden["expected"]},
    }


def write_cards(work, versions, models, folds, note):
    collection = ClipCollection(work, ("clean",))
    evaluations = {key: load_fits(work, key) for key in (*PACKS, TOGETHER)}
    shutil.copyfile(Path(__file__).parent / LICENCE_FILE, to_pack_folder(work, "encoder") / LICENCE_FILE)
    # The scores are of all packs fused: one copy, beside the first.
    shutil.copyfile(work / SCORES_FILE, to_pack_folder(work, next(iter(PACKS))) / SCORES_FILE)
    for pack in PACKS.values():
        folder = to_pack_folder(work, pack.key)
        manifest = make_manifest(pack, versions, evaluations, read_json(folder / GOLDEN_FILE), collection)
        (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        card = make_card(work, pack, versions[pack.key], evaluations, collection, f" {note}" if note else "")
        (folder / CARD_FILE).write_text(card, encoding="utf-8")
        if models:
            publish(folder, models / pack.id, PUBLISHED_FILES)
    if folds:
        describe_folds(work, folds, versions, collection)


def describe_folds(work, folder, versions, collection):
    """Writes model.json into the packs of each fold, and which source was left out by which fold.

    Calibrations, weights and bounds are those of the other four folds, so that the fold decides nothing about itself.
    """
    for fold in range(FOLD_COUNT):
        evaluations = {key: load_fits(work, key, fold) for key in (*PACKS, TOGETHER)}
        for pack in PACKS.values():
            own = folder / f"fold-{fold}" / pack.id
            manifest = make_manifest(pack, versions, evaluations, read_json(own / GOLDEN_FILE), collection)
            (own / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            (own / CARD_FILE).write_text(f"# {pack.name}, without fold {fold}\n\nTo measure with, not to install.\n", encoding="utf-8")
    rows = sorted({(row["label"], row["source"], row["fold"]) for row in collection.rows})
    lines = ["label\tsource\tfold", *("\t".join(map(str, row)) for row in rows)]
    (folder / "folds.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    for key in PACKS:
        parser.add_argument(f"--{key}-version", default="1.0.0")
    parser.add_argument("--note", default="", help="a sentence for the cards about how the packs were made")
    parser.add_argument("--models", type=Path, help="folder of packs, in which both are replaced")
    parser.add_argument("--folds", type=Path, help="folder of the folds' packs, made by export.py")
    arguments = parser.parse_args()
    versions = {key: getattr(arguments, f"{key}_version") for key in PACKS}
    write_cards(arguments.work, versions, arguments.models, arguments.folds, arguments.note)
