"""Scores pictures of the fetched corpus in every tier with the shipped network, which was fitted on none of them.

What is scored is where the appliance looks; `--before` adds what 1.1.0 looked at, on the same pictures. A picture that was
scored is not scored again. The index is that of traces/index.py; sources without an owner (the older collection) are left out.
"""

import argparse
import csv
import json
import zlib
from pathlib import Path

import numpy
from PIL import Image

from placement import PATCH_SIDE, choose_by_detail, choose_patches, cut_patch, measure_detail, place_patches
from places import open_score
from texture import is_refused, measure_texture
from tiers import CONFOUNDS, TIERS
from whole import leave, open_picture

PIXELS_MAX = 120_000_000
BEFORE = {"count_max": 16, "share_min": 0.5}
BEFORE_CANDIDATES = 64


def choose_as_before(pixels):
    """Returns the places of the rule up to 1.1.0."""
    height, width = pixels.shape[:2]
    candidates = place_patches(width, height, count_max=BEFORE_CANDIDATES)
    return choose_by_detail(candidates, [measure_detail(cut_patch(pixels, place)) for place in candidates], **BEFORE)


def choose_rows(index, count_max):
    """Returns `count_max` pictures of each source, in the order of their names; sources in an order by chance that stays."""
    by_source = {}
    with open(index, newline="", encoding="utf-8") as stream:
        for row in sorted(csv.DictReader(stream, delimiter="\t"), key=lambda row: row["file"]):
            if row["owner"]:
                by_source.setdefault((row["label"], row["source"]), []).append(row)
    ordered = sorted(by_source.items(), key=lambda item: zlib.crc32(item[0][1].encode()))
    return [row for number in range(count_max) for _, rows in ordered for row in rows[number : number + 1]]


def score_picture(path, score, tiers, with_before):
    """Returns {tier: {rule: mean logit, spread: deviation over the places}}; a refused state has None."""
    image = open_picture(path)
    if min(image.size) < PATCH_SIDE:
        return None
    found = {}
    for tier in tiers:
        pixels = leave(image, tier)
        rules = {"now": choose_patches(pixels)}
        if with_before and tier in TIERS:
            rules["before"] = choose_as_before(pixels)
        patches = {rule: numpy.stack([cut_patch(pixels, place) for place in places]) for rule, places in rules.items()}
        found[tier.name] = {rule: None for rule in patches}
        for rule, part in patches.items():
            if not is_refused(measure_texture(part)):
                logits = score(part)
                found[tier.name][rule] = round(float(logits.mean()), 5)
                if rule == "now":
                    found[tier.name]["spread"] = round(float(logits.std()), 5)
    return {"size": image.size, "tiers": found}


def score_corpus(arguments):
    out = arguments.out
    known = {json.loads(line)["file"] for line in out.read_text(encoding="utf-8").splitlines()} if out.exists() else set()
    score = open_score(arguments.model)
    tiers = (*TIERS, *(() if arguments.without_confounds else CONFOUNDS))
    with open(out, "a", encoding="utf-8") as stream:
        for number, row in enumerate(choose_rows(arguments.index, arguments.count_max)):
            name = f"{row['source']}/{Path(row['file']).name}"
            if name in known:
                continue
            scored = score_picture(row["file"], score, tiers, number < arguments.before)
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
    parser.add_argument("--before", type=int, default=0, help="so many pictures are also looked at as 1.1.0 did")
    parser.add_argument("--without-confounds", action="store_true", help="only the tiers: of the outside harvest no confound is told")
    Image.MAX_IMAGE_PIXELS = PIXELS_MAX
    score_corpus(parser.parse_args())
