"""Stage 4: how the shipped verdict holds by medium and by size, on people's pictures whose owners the network never saw.

Of each part: called artificial by `balanced` and by `cautious` as shipped, the bound that its own owners give (conformal, 8 % and 1 %
of the next owner's pictures), and what both find among artificial pictures of the outside harvest. A part with fewer owners than a
promise needs says so.
"""

import argparse
import csv
import json
import math
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from metrics import to_probability  # noqa: E402
from scored import BALANCED_RISK, CAUTIOUS_RISK, wilson  # noqa: E402
from speech.conformal import choose_conformal_threshold  # noqa: E402
from tables import to_table  # noqa: E402
from texture import is_refused  # noqa: E402
from tiers import TIERS  # noqa: E402

SURE_MIN = 0.6
"""As in head.py: below it the medium is unknown."""
UNKNOWN = "unknown"
SIZES = ((0.3e6, "below .3 MP"), (1e6, ".3 to 1 MP"), (4e6, "1 to 4 MP"), (math.inf, "above 4 MP"))
UNSEEN = "media-"
"""Sources of the corpus that came after the network was trained: no weight of it has seen their owners."""
OWNERS_SHOWN_MIN = 5


def read_scores(index, folder, tier, calibration):
    with open(index, newline="", encoding="utf-8") as stream:
        described = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
    for line in (json.loads(text) for text in (folder / "features.jsonl").read_text(encoding="utf-8").splitlines()):
        row = described.get(line["file"])
        if line["tier"] != tier or row is None:
            continue
        is_unseen = row["source"].startswith(UNSEEN) if row["label"] == "human" else row["harvest"] == "outside"
        if is_unseen:
            chance = float(to_probability(calibration["slope"] * line["logit"] + calibration["intercept"]))
            pixels = line["size"][0] * line["size"][1]
            yield {**row, "size": next(name for most, name in SIZES if pixels < most), "chance": None if is_refused(line["texture"]) else chance}


def read_said(path):
    """Returns {file: medium} as heads that never saw the owner said it."""
    stored = numpy.load(path)
    best = stored["probabilities"].argmax(axis=1)
    sure = stored["probabilities"].max(axis=1) >= SURE_MIN
    return {str(file): str(stored["media"][place]) if is_sure else UNKNOWN for file, place, is_sure in zip(stored["files"], best, sure)}


def share(rows, bound):
    """Returns the share of pictures above the bound, an owner weighing as another; refused ones are not called."""
    by_owner = {}
    for row in rows:
        by_owner.setdefault(row["owner"], []).append(row["chance"] is not None and row["chance"] >= bound)
    return float(numpy.mean([numpy.mean(called) for called in by_owner.values()])), len(by_owner)


def describe(rows, bound):
    if not rows:
        return "–"
    called, owners = share(rows, bound)
    if owners < OWNERS_SHOWN_MIN:
        return f"{owners} owners"
    low, high = wilson(called, owners)
    return f"{100 * called:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


def promise(rows, risk):
    """Returns the bound that holds the risk for the next owner, or how many owners it lacks."""
    answered = [row for row in rows if row["chance"] is not None]
    owners = numpy.array([row["owner"] for row in answered])
    needed = math.ceil(1 / risk) - 1
    if len(set(owners)) < needed:
        return None, f"{len(set(owners))} of {needed} owners"
    bound = choose_conformal_threshold(numpy.array([row["chance"] for row in answered]), owners, risk)
    return (bound, f"{bound:.3f}") if bound <= 1 else (None, "none holds it")


def make_table(rows, aspect, values, decision):
    table = []
    for value in values:
        human = [row for row in rows if row["label"] == "human" and row[aspect] == value]
        made = [row for row in rows if row["label"] == "artificial" and row[aspect] == value]
        if not human:
            continue
        refused = sum(row["chance"] is None for row in human)
        bounds = [promise(human, risk) for risk in (BALANCED_RISK, CAUTIOUS_RISK)]
        found = [describe(made, bound) if bound is not None else "–" for bound, _ in bounds]
        table.append([
            value, f"{len(human)} of {len({row['owner'] for row in human})}", f"{100 * refused / len(human):.0f} %",
            describe(human, decision["inconclusiveHigh"]), describe(human, decision["cautiousThreshold"]),
            f"{len(made)} of {len({row['owner'] for row in made})}", describe(made, decision["inconclusiveHigh"]), describe(made, decision["cautiousThreshold"]),
            bounds[0][1], found[0], bounds[1][1], found[1],
        ])
    header = [
        "", "people's pictures of owners", "refused", "accused by `balanced`", "by `cautious`", "artificial of owners", "found by `balanced`",
        "by `cautious`", "bound for 8 %", "finds", "bound for 1 %", "finds",
    ]
    return to_table(header, table)


def propose(by_tier, media):
    """Returns the table of bounds that hold in every tier: the highest of them, nothing where one has too few owners."""
    table = []
    for medium in media:
        cells = []
        for risk in (BALANCED_RISK, CAUTIOUS_RISK):
            bounds = [promise([row for row in rows if row["label"] == "human" and row["medium"] == medium], risk) for rows in by_tier.values()]
            lacking = next((shown for bound, shown in bounds if bound is None), None)
            cells.append(lacking or f"{max(bound for bound, _ in bounds):.3f}")
        table.append([medium, *cells])
    return to_table(["", "`balanced`: 8 % in every tier", "`cautious`: 1 % in every tier"], table)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True)
    parser.add_argument("--pack", type=Path, required=True)
    parser.add_argument("--said", type=Path, help="left-out.npz of head.py: by the medium that is said in place of the one that is there")
    arguments = parser.parse_args()
    said = read_said(arguments.said) if arguments.said else None
    manifest = json.loads((arguments.pack / "model.json").read_text(encoding="utf-8"))
    by_tier = {tier.name: list(read_scores(arguments.index, arguments.features, tier.name, manifest["calibration"])) for tier in TIERS}
    if said:
        by_tier = {tier: [{**row, "medium": said[row["file"]]} for row in rows if row["file"] in said] for tier, rows in by_tier.items()}
    found = sorted({row["medium"] for rows in by_tier.values() for row in rows})
    for tier, scores in by_tier.items():
        for name, listed in (("medium", found), ("size", [name for _, name in SIZES])):
            print(f"{tier}, by {name}:\n\n{make_table(scores, name, listed, manifest['decision'])}\n")
    print(f"Bounds by medium:\n\n{propose(by_tier, found)}")
