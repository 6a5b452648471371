"""Scores pictures of the fetched corpus in every tier, with `--fold` those of the owners that a network was trained without.

What is scored is where the appliance looks. A picture that was scored is not scored again. The index is that of traces/index.py;
sources without an owner (the older collection) are left out.
"""

import argparse
import csv
import json
import zlib
from pathlib import Path

import numpy
from PIL import Image

from placement import PATCH_SIDE, choose_patches, cut_patch
from places import open_score
from texture import is_refused, measure_texture
from tiers import CONFOUNDS, TIERS
from traces.folds import FOLD_COUNT, assign_folds
from whole import leave, open_picture

PIXELS_MAX = 120_000_000


def choose_rows(index, count_max, fold=None):
    """Returns `count_max` pictures of each source, of one fold or of all, in the order of their names; sources in an order by chance that stays."""
    by_source = {}
    with open(index, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t"))
    for row, own in sorted(zip(rows, assign_folds(rows)), key=lambda item: item[0]["file"]):
        if row["owner"] and fold in (None, own):
            by_source.setdefault((row["label"], row["source"]), []).append(row)
    ordered = sorted(by_source.items(), key=lambda item: zlib.crc32(item[0][1].encode()))
    return [row for number in range(count_max) for _, rows in ordered for row in rows[number : number + 1]]


def score_picture(path, score, tiers):
    """Returns {tier: {now: mean logit, spread: deviation over the places}}; a refused state has None."""
    image = open_picture(path)
    if min(image.size) < PATCH_SIDE:
        return None
    found = {}
    for tier in tiers:
        pixels = leave(image, tier)
        patches = numpy.stack([cut_patch(pixels, place) for place in choose_patches(pixels)])
        found[tier.name] = {"now": None}
        if not is_refused(measure_texture(patches)):
            logits = score(patches)
            found[tier.name] = {"now": round(float(logits.mean()), 5), "spread": round(float(logits.std()), 5)}
    return {"size": image.size, "tiers": found}


def score_corpus(arguments):
    out = arguments.out
    known = {json.loads(line)["file"] for line in out.read_text(encoding="utf-8").splitlines()} if out.exists() else set()
    score = open_score(arguments.model)
    tiers = (*TIERS, *(() if arguments.without_confounds else CONFOUNDS))
    with open(out, "a", encoding="utf-8") as stream:
        for row in choose_rows(arguments.index, arguments.count_max, arguments.fold):
            name = f"{row['source']}/{Path(row['file']).name}"
            if name in known:
                continue
            scored = score_picture(row["file"], score, tiers)
            if scored is not None:
                described = {key: row[key] for key in ("label", "source", "owner", "group", "family")} | {"file": name}
                stream.write(json.dumps(described | scored) + "\n")
                stream.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count-max", type=int, default=1, help="pictures of a source")
    parser.add_argument("--fold", type=int, choices=range(FOLD_COUNT), help="only owners of the fold that the network was trained without")
    parser.add_argument("--without-confounds", action="store_true", help="only the tiers: of the outside harvest no confound is told")
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    score_corpus(parser.parse_args())
