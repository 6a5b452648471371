"""Stage 12: writes model.json and CARD.md from what the appliance measured through packs of the folds, and publishes them.

MEASURED is the --out folder of `npm run evaluate -- --task tampering --packs WORK/packs --data WORK/edits`: whole pictures,
each through a pack that has not seen its source.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

from card_text import make_card
from evaluate import EVALUATION_FILE
from export import MODEL_FILE
from fit_pictures import PICTURES_FILE, read_index
from packs import CARD_FILE, MANIFEST_FILE, PACK_ID, make_manifest, read_json, to_pack_folder, write_pack
from publish import publish
from whole_figures import measure_all

FIGURE_DIGITS = 4
MANIFEST_FIGURES = (
    "auc", "balancedAccuracy", "tprAtFpr5", "tprAtFpr1", "ece",
    "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious", "pixelF1",
)


def to_figure(name, measured):
    def rounded(value):
        return round(value, FIGURE_DIGITS)

    row = {"tier": name, "sources": measured["sources"], "images": measured["images"]}
    for figure in MANIFEST_FIGURES:
        row[figure] = rounded(measured["figures"][figure])
        if figure in ("auc", "pixelF1"):
            row[f"{figure}Low"], row[f"{figure}High"] = (rounded(value) for value in measured["intervals"][figure])
    return row


def describe_trained(trainings, pictures):
    parts = [f"{trained['crops']:,} human crops of {trained['sources']} sources" for trained in trainings]
    whole = f"weighed on {pictures['pictures']:,} whole pictures of {pictures['sources']} sources"
    return f"{' and '.join(parts)}, each several times as it was and edited by program; {whole}, half of them edited by program"


def write(arguments):
    work = arguments.work
    evaluation, pictures = read_json(work / EVALUATION_FILE), read_json(work / PICTURES_FILE)
    manifest = make_manifest(arguments.version, work, "all", describe_trained(evaluation["trainings"], pictures))
    whole = measure_all(arguments.measured, read_index(work), manifest["cellThreshold"])
    manifest["figures"] = [to_figure(name, measured) for name, measured in whole.items()]
    smoke = read_json(arguments.smoke) if arguments.smoke else None
    write_pack(work, "all", manifest, make_card(manifest, evaluation, pictures, whole, smoke))
    if arguments.models:
        folder = to_pack_folder(work, "all")
        publish(folder, arguments.models / PACK_ID, (MODEL_FILE, CARD_FILE, MANIFEST_FILE))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--measured", type=Path, required=True, help="--out of the evaluation of whole pictures")
    parser.add_argument("--smoke", type=Path, help="figures.json of an evaluation of pictures that people edited")
    parser.add_argument("--models", type=Path, help="folder of packs to publish into; without it the pack stays in WORK")
    write(parser.parse_args())
