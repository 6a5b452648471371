"""Writes into a pack how often pictures of a kind are called artificial, from what a running appliance said of whole pictures
that the pack's network never saw: the answers (`all.jsonl`) that `evaluate/stability-reach.ts` leaves.

A picture counts as called where its probability reaches the upper end of the inconclusive band. Sources weigh alike whatever the
number of their pictures; intervals are Wilson's, over owners.
"""

import argparse
import csv
import json
import os
from pathlib import Path

import numpy

from manifest import MANIFEST_FILE
from recalibrate import FIGURE_DIGITS, KIND_PICTURES_MIN, make_kind_table
from scored import wilson

TIER = "clean"


def read_answers(path, index):
    """Yields (row of the index, probability) of each answered picture; links are followed."""
    with open(index, newline="", encoding="utf-8") as stream:
        rows = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
    for line in path.read_text(encoding="utf-8").splitlines():
        answer = json.loads(line)
        if answer["p"] is not None:
            yield rows[os.path.realpath(answer["path"])], answer["p"]


def to_kind_rates(answers, bound):
    """Kinds of too few pictures are left out, and pictures of an unknown generator."""
    kinds = {}
    for row, probability in answers:
        kinds.setdefault((row["label"] == "artificial", row["family"]), []).append((row["source"], row["owner"], probability >= bound))
    for (is_artificial, family), found in sorted(kinds.items()):
        if len(found) < KIND_PICTURES_MIN or family in ("", "unknown"):
            continue
        sources, owners, called = zip(*found)
        share = float(numpy.average(called, weights=[1 / sources.count(source) for source in sources]))
        low, high = wilson(share, len(set(owners)))
        figures = {"called": share, "calledLow": low, "calledHigh": high}
        yield {
            "label": "artificial" if is_artificial else "human", "kind": family, "images": len(found), "sources": len(set(sources)),
            **{name: round(value, FIGURE_DIGITS) for name, value in figures.items()},
        }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=Path, required=True)
    parser.add_argument("--index", type=Path, required=True, help="table of traces/index.py that names the pictures")
    parser.add_argument("--pack", type=Path, required=True)
    arguments = parser.parse_args()
    path = arguments.pack / MANIFEST_FILE
    manifest = json.loads(path.read_text(encoding="utf-8"))
    rates = list(to_kind_rates(read_answers(arguments.answers, arguments.index), manifest["decision"]["inconclusiveHigh"]))
    next(figure for figure in manifest["figures"] if figure["tier"] == TIER)["kinds"] = rates
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(make_kind_table([{"tier": TIER, "kinds": rates}]))
