"""Stage 10: writes model.json and CARD.md of both packs from what a running appliance measured, and publishes them.

EVALUATION is the folder that `npm run evaluate -- --kind audio --packs FOLDS --tiers` wrote. What only training makes
of clips (little speech, voice codecs, one band) comes from training's own program, and the card says so.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import numpy

from card_text import make_card
from clips import ClipCollection
from evaluate import SCORES_FILE
from export import GOLDEN_FILE, MODEL_FILE, PARITY_FILE, to_pack_folder
from manifest import MANIFEST_FILE, make_manifest
from measured import measure_appliance
from packs import PACKS, TOGETHER, load_fits

sys.path.append(str(Path(__file__).parent.parent))
from publish import publish  # noqa: E402
from score_table import read_score_table, write_score_table  # noqa: E402

CARD_FILE = "CARD.md"
LICENCE_FILE = "LICENSE-moonshine.txt"
PUBLISHED_FILES = (MODEL_FILE, LICENCE_FILE, CARD_FILE, SCORES_FILE, PARITY_FILE, MANIFEST_FILE)


def write_scores(work, path, fused):
    """Writes the fused left-out log-odds; returns how far training's own are from the appliance's, at half and at all clips.

    The tiers that the appliance measured are the appliance's, the others training's own.
    """
    labels, sources, own = read_score_table(work / SCORES_FILE)
    write_score_table(path, labels, sources, {**own, **fused})
    distances = numpy.abs(numpy.array(own["clean"]) - fused["clean"])
    return {"half": float(numpy.median(distances)), "near": float((distances < 0.01).mean()), "most": float(distances.max())}


def write_cards(work, versions, evaluation, models):
    collection = ClipCollection(work, ("clean",))
    measured, fused = measure_appliance(work, evaluation, collection)
    evaluations = {key: {**load_fits(work, key), **measured[key]} for key in (*PACKS, TOGETHER)}
    shutil.copyfile(Path(__file__).parent / LICENCE_FILE, to_pack_folder(work, "encoder") / LICENCE_FILE)
    # The scores are of all packs fused: one copy, beside the first.
    distance = write_scores(work, to_pack_folder(work, next(iter(PACKS))) / SCORES_FILE, fused)
    print("training's own clean log-odds against the appliance's:", distance)
    for pack in PACKS.values():
        folder = to_pack_folder(work, pack.key)
        golden = json.loads((folder / GOLDEN_FILE).read_text(encoding="utf-8"))
        manifest = make_manifest(pack, versions, evaluations, golden, collection, evaluations[pack.key]["tiers"])
        (folder / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
        card = make_card(work, pack, versions[pack.key], evaluations, collection, distance)
        (folder / CARD_FILE).write_text(card, encoding="utf-8")
        if models:
            publish(folder, models / pack.id, PUBLISHED_FILES)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--evaluation", type=Path, required=True, help="what npm run evaluate wrote, all clips in all tiers")
    for name in PACKS:
        parser.add_argument(f"--{name}-version", default="1.0.0")
    parser.add_argument("--models", type=Path, help="folder of packs, in which both are replaced")
    arguments = parser.parse_args()
    given = {name: getattr(arguments, f"{name}_version") for name in PACKS}
    write_cards(arguments.work, given, arguments.evaluation, arguments.models)
