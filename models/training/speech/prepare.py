"""Stage 1: decodes the clips, passes them through the codecs and assigns the folds.

Writes WORK/clips.json and one file of 16-bit samples per codec and tier under WORK/variants.
A file that is there is not made again.
"""

import argparse
import csv
import hashlib
import json
import os
import subprocess
from pathlib import Path

import numpy

from clips import CLIPS_FILE, VARIANTS_FOLDER, VARIANTS
from scoring import CONFOUND_TIERS, TIERS, make_tier_file
from splits import FOLD_COUNT, Ties, assign_folds, read_families, to_training_mask
from voice_codecs import VARIANT as VOICE_CODEC
from voice_codecs import make_variant

SCRIPT = Path(__file__).parent / "codecs.ts"
COLUMNS = ("label", "source", "family", "group", "speaker", "file", "original_rate", "original_format")
AUDIO_SUFFIXES = (".flac", ".wav", ".mp3", ".ogg", ".opus", ".m4a")


def read_index(data):
    """Returns the rows of files.tsv, or rows made from one sub-folder per source."""
    index = data / "files.tsv"
    if index.exists():
        with open(index, newline="", encoding="utf-8") as stream:
            return [{name: row[name] for name in COLUMNS} for row in csv.DictReader(stream, delimiter="\t")]
    rows = []
    for label in ("human", "artificial"):
        for path in sorted((data / label).glob("*/*")):
            if path.suffix.lower() in AUDIO_SUFFIXES:
                known = {"label": label, "source": path.parent.name, "file": str(path.relative_to(data))}
                rows.append({name: known.get(name, "") for name in COLUMNS})
    return rows


def make_variants(data, work, node):
    """One process per codec: a codec that crashes at its end has written its file by then."""
    folder = work / VARIANTS_FOLDER
    for name in VARIANTS:
        if not (folder / f"{name}.s16").exists():
            subprocess.run([node, SCRIPT, data, folder / "list.txt", folder, name], check=False)
        if not (folder / f"{name}.s16").exists():
            raise SystemExit(f"codec {name}: expected {folder / name}.s16, found none; see the lines above")


def prepare(data, work, node, seed):
    folder = work / VARIANTS_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    rows = read_index(data)
    (folder / "list.txt").write_text("".join(f"{row['file']}\n" for row in rows), encoding="utf-8")
    make_variants(data, work, node)
    lengths = json.loads((folder / "lengths.json").read_text(encoding="utf-8"))
    if not (folder / f"{VOICE_CODEC}.s16").exists():
        make_variant(folder, lengths)
    for tier in (*TIERS, *CONFOUND_TIERS):
        make_tier_file(folder, tier, lengths)
    folds = assign_folds(rows, read_families(), seed)
    for row, length, fold in zip(rows, lengths, folds):
        row.update(length=length, fold=int(fold))
    digest = hashlib.sha256((folder / "clean.s16").read_bytes()).hexdigest()
    temporary = work / f"{CLIPS_FILE}.tmp"
    temporary.write_text(json.dumps({"sha256": digest, "clips": rows}, indent=1), encoding="utf-8")
    os.replace(temporary, work / CLIPS_FILE)
    describe(rows, folds)


def describe(rows, folds):
    ties = Ties(rows)
    is_human = numpy.array([row["label"] == "human" for row in rows])
    names = numpy.array([f"{row['label']}/{row['source']}" for row in rows])
    for fold in range(FOLD_COUNT):
        kept, test = to_training_mask(ties, folds, fold), folds == fold
        parts = [
            f"{name}: {int(mask.sum())} clips of {len(set(names[mask]))} sources"
            for name, mask in (
                ("human", test & is_human), ("artificial", test & ~is_human),
                ("trained on human", kept & is_human), ("artificial", kept & ~is_human),
            )
        ]
        print(f"fold {fold}: {', '.join(parts)}; left out for a shared speaker or group: "
              f"{int((~kept & ~test).sum())}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's node-av")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    prepare(arguments.data, arguments.work, arguments.node, arguments.seed)
