"""Stage 8: writes model.json into the packs of each fold, and which source was left out by which fold.

Calibrations, weights and bounds are those of the other four folds, so that the fold decides nothing about itself.
"""

import argparse
import json
from pathlib import Path

from clips import ClipCollection
from export import GOLDEN_FILE
from manifest import MANIFEST_FILE, make_manifest
from packs import PACKS, TOGETHER, load_fits
from splits import FOLD_COUNT

CARD_FILE = "CARD.md"
INDEX_FILE = "folds.tsv"


def describe_folds(work, folder, versions):
    collection = ClipCollection(work, ("clean",))
    for fold in range(FOLD_COUNT):
        evaluations = {key: load_fits(work, key, fold) for key in (*PACKS, TOGETHER)}
        for pack in PACKS.values():
            own = folder / f"fold-{fold}" / pack.id
            golden = json.loads((own / GOLDEN_FILE).read_text(encoding="utf-8"))
            manifest = make_manifest(pack, versions, evaluations, golden, collection)
            (own / MANIFEST_FILE).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
            (own / CARD_FILE).write_text(f"# {pack.name}, without fold {fold}\n\nTo measure with, not to install.\n", encoding="utf-8")
    rows = sorted({(row["label"], row["source"], row["fold"]) for row in collection.rows})
    lines = ["label\tsource\tfold", *("\t".join(map(str, row)) for row in rows)]
    (folder / INDEX_FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    for name in PACKS:
        parser.add_argument(f"--{name}-version", default="1.0.0")
    parser.add_argument("--folds", type=Path, required=True, help="folder of the folds' packs, made by export.py")
    arguments = parser.parse_args()
    describe_folds(arguments.work, arguments.folds, {name: getattr(arguments, f"{name}_version") for name in PACKS})
