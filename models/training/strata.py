"""Prints how the answers hold by format, size and age of the picture: what differs between the labels in a corpus may be all that a model sees.

The AUC of a part counts pictures of both labels that are alike in it; where a label has too few owners, only its own share is shown:
called artificial from the upper end of the band. Intervals over owners; sources weigh alike.
"""

import argparse
import csv
import json
import re
from pathlib import Path

import numpy

from manifest import MANIFEST_FILE
from metrics import bootstrap_auc, to_auc, to_probability
from scored import Scored, wilson
from tables import to_table
from weights import weigh

OWNERS_MIN = 8
TIERS_SHOWN = ("clean", "web")
MEGAPIXEL = 1_000_000


def classify_format(row):
    return {"JPEG": "JPEG", "PNG": "PNG"}.get(row["format"], "other formats")


def classify_size(row):
    pixels = int(row["width"]) * int(row["height"])
    return next(name for name, most in (("below 1 MP", 1), ("1 to 4 MP", 4), ("above 4 MP", 1e9)) if pixels < most * MEGAPIXEL)


def classify_age(row):
    """By when it was taken as far as the file says so, else by when it was published, which is later."""
    found = re.match(r"\d{4}", row["taken"] or row["date"])
    if found is None:
        return None
    year = int(found.group())
    return next(name for name, last in (("until 2009", 2009), ("2010 to 2019", 2019), ("2020 to 2023", 2023), ("since 2024", 9999)) if year <= last)


ASPECTS = {"format": classify_format, "size": classify_size, "age": classify_age}


def read_manifest(path):
    """Returns {source/file name: row}."""
    with open(path, newline="", encoding="utf-8") as stream:
        return {f"{row['source']}/{Path(row['file']).name}": row for row in csv.DictReader(stream, delimiter="\t")}


def describe_part(scored, rows, line, bound):
    """Returns the cells of one part: counts of both labels, AUC and shares called in each tier shown."""
    labels, owners = scored.labels[rows], scored.owners[rows]
    counts = [len(set(owners[labels == label])) for label in (False, True)]
    cells = [" · ".join(f"{(labels == label).sum()} of {count}" for label, count in zip((False, True), counts))]
    for tier in TIERS_SHOWN:
        scores = scored.scores[tier][rows]
        weights = weigh(owners, labels) if min(counts) > 0 else numpy.ones(len(rows)) / max(len(rows), 1)
        if min(counts) >= OWNERS_MIN:
            low, high = bootstrap_auc(scores, labels, weights, owners)
            cells.append(f"{to_auc(scores, labels, weights):.3f} ({low:.3f}–{high:.3f})")
        else:
            cells.append("–")
        called = to_probability(line[0] * scores + line[1]) >= bound
        for label, count in zip((False, True), counts):
            share = float(numpy.average(called[labels == label], weights=weights[labels == label])) if count >= OWNERS_MIN else None
            low, high = wilson(share, count) if share is not None else (0, 0)
            cells.append("–" if share is None else f"{100 * share:.0f} % ({100 * low:.0f}–{100 * high:.0f})")
    return cells


def make_strata_table(scored, manifest, fitted):
    """`fitted` is what recalibrate.py decides by: line and bounds."""
    rows = read_manifest(manifest)
    table = []
    for aspect, classify in ASPECTS.items():
        parts = numpy.array([str(classify(rows[row["file"]])) for row in scored.rows])
        table += [
            [aspect, part, *describe_part(scored, numpy.nonzero(parts == part)[0], fitted["line"], fitted["inconclusiveHigh"])]
            for part in sorted(set(parts) - {"None"})
        ]
    header = ["", "", "human · artificial, of owners"]
    return to_table([*header, *(f"{name}, {tier}" for tier in TIERS_SHOWN for name in ("AUC", "false alarms", "found"))], table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, required=True, nargs="+", help="of left-out pictures, as recalibrate.py reads them")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--pack", type=Path, required=True)
    arguments = parser.parse_args()
    described = json.loads((arguments.pack / MANIFEST_FILE).read_text(encoding="utf-8"))
    line = [described["calibration"][part] for part in ("slope", "intercept")]
    print(make_strata_table(Scored(arguments.scores), arguments.manifest, {"line": line, **described["decision"]}))
