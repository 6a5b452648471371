"""Stage 5: the bounds of the verdict by what the head says, and how it holds by medium and size, on people's pictures whose owners
the network never saw.

A picture whose probability of a photograph lies below PHOTOGRAPH_BELOW has bounds of its own. All bounds are the lowest with which `balanced`
holds its promise in each tier for what is said to be a photograph and for what is not, however often the head errs, and for people's true
photographs, drawings, renders and texts (conformal over owners). Fitted on the inside harvest, shown for owners left out and once for
the outside one.
"""

import argparse
import csv
import json
import math
import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from head import FOLD_COUNT  # noqa: E402
from metrics import to_probability  # noqa: E402
from scored import BALANCED_RISK, CAUTIOUS_RISK, wilson  # noqa: E402
from speech.conformal import choose_conformal_threshold, to_bound, to_owner_share  # noqa: E402
from tables import to_table  # noqa: E402
from texture import is_refused  # noqa: E402
from tiers import TIERS  # noqa: E402

PHOTOGRAPH = "photograph"
PHOTOGRAPH_BELOW = 0.3
"""Of .2 to .5 the lowest with which bounds held for each medium in 1.5.0, whose head this is."""
HELD = (PHOTOGRAPH, "drawing", "render", "text")
"""Media that one bound for all accuses too often: `balanced` holds for each as it is, not only for what it is said to be."""
SIZES = ((0.3e6, "below .3 MP"), (1e6, ".3 to 1 MP"), (4e6, "1 to 4 MP"), (math.inf, "above 4 MP"))
UNSEEN = "media-"
"""Sources of the corpus that came after the network was trained: no weight of it has seen their owners."""
OWNERS_SHOWN_MIN = 5
STEP, DIGITS = 1000, 3
LOWEST = 0.51
"""A picture is not called artificial at even odds."""


def read_rows(index, features, left_out, calibration):
    """Returns the answered and refused pictures of people that no weight has seen, and the artificial ones of the outside harvest."""
    with open(index, newline="", encoding="utf-8") as stream:
        described = {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
    stored = numpy.load(left_out)
    photograph = stored["media"].tolist().index(PHOTOGRAPH)
    said = {name: (float(chances[photograph]), int(fold)) for name, chances, fold in zip(stored["names"].tolist(), stored["probabilities"], stored["folds"])}
    rows = []
    for line in (json.loads(text) for text in (features / "features.jsonl").read_text(encoding="utf-8").splitlines()):
        row, heard = described.get(line["file"]), said.get(f"{line['tier']} {line['file']}")
        if row is None or heard is None:
            continue
        if row["source"].startswith(UNSEEN) if row["label"] == "human" else row["harvest"] == "outside":
            chance = float(to_probability(calibration["slope"] * line["logit"] + calibration["intercept"]))
            pixels = line["size"][0] * line["size"][1]
            size = next(name for most, name in SIZES if pixels < most)
            rows.append({**row, "tier": line["tier"], "size": size, "chance": -1.0 if is_refused(line["texture"]) else chance, "photograph": heard[0], "fold": heard[1]})
    return rows


def promise(rows, risk):
    """Returns the lowest bound that the next owner's pictures exceed in at most the risk, in each tier; None where owners are too few."""
    needed, bounds = math.ceil(1 / risk) - 1, []
    for tier in TIERS:
        own = [row for row in rows if row["tier"] == tier.name]
        owners = numpy.array([row["owner"] for row in own])
        if len(set(owners.tolist())) < needed:
            return None
        bounds.append(choose_conformal_threshold(numpy.array([row["chance"] for row in own]), owners, risk))
    return ceil(max(bounds))


def accuse(row, bounds, name):
    return row["chance"] >= (bounds if row["photograph"] >= PHOTOGRAPH_BELOW else bounds["noPhotograph"])[name]


def holds(rows, bounds):
    """Whether the next owner's pictures are accused in at most the risk of `balanced`, in each tier."""
    for tier in TIERS:
        own = [row for row in rows if row["tier"] == tier.name]
        accused = numpy.array([accuse(row, bounds, "inconclusiveHigh") for row in own], dtype=float)
        if to_bound(accused, numpy.array([row["owner"] for row in own])) > BALANCED_RISK:
            return False
    return True


def fit(rows):
    """Returns the bounds of a photograph and of none, from people's pictures."""
    said = [[row for row in rows if (row["photograph"] >= PHOTOGRAPH_BELOW) is is_one] for is_one in (True, False)]
    bounds, other = ({"inconclusiveHigh": max(LOWEST, promise(part, BALANCED_RISK)), "cautiousThreshold": promise(part, CAUTIOUS_RISK) or promise(rows, CAUTIOUS_RISK) or 1} for part in said)
    bounds["noPhotograph"] = {"photographBelow": PHOTOGRAPH_BELOW, **other}
    other = bounds["noPhotograph"]
    for medium in HELD:
        own = [row for row in rows if row["medium"] == medium]
        while not holds(own, bounds):
            accused = [row["photograph"] >= PHOTOGRAPH_BELOW for row in own if accuse(row, bounds, "inconclusiveHigh")]
            raised = bounds if 2 * sum(accused) > len(accused) else other
            raised["inconclusiveHigh"] = round(raised["inconclusiveHigh"] + 1 / STEP, DIGITS)
    for part in (bounds, other):
        part["cautiousThreshold"] = max(part["cautiousThreshold"], part["inconclusiveHigh"])
    return bounds


def ceil(bound):
    return math.ceil(bound * STEP) / STEP


def mark(rows):
    """Adds to each row what is accused by the bounds of other owners; returns the bounds of all inside ones."""
    inside = [row for row in rows if row["harvest"] == "inside" and row["label"] == "human"]
    by_fold = [fit([row for row in inside if row["fold"] != fold]) for fold in range(FOLD_COUNT)]
    whole = fit(inside)
    for row in rows:
        bounds = by_fold[row["fold"]] if row["harvest"] == "inside" and row["label"] == "human" else whole
        row["balanced"], row["cautious"] = accuse(row, bounds, "inconclusiveHigh"), accuse(row, bounds, "cautiousThreshold")
    return whole


def share(rows, name):
    """Returns (share, low, high, owners), an owner weighing as another; refused pictures are not called."""
    shares = to_owner_share(numpy.array([row[name] for row in rows], dtype=float), numpy.array([row["owner"] for row in rows]))
    called = float(shares.mean())
    return (called, *wilson(called, len(shares)), len(shares))


def describe(rows, name):
    if not rows:
        return "–"
    called, low, high, owners = share(rows, name)
    return f"{owners} owners" if owners < OWNERS_SHOWN_MIN else f"{100 * called:.0f} % ({100 * low:.0f}–{100 * high:.0f})"


def make_table(rows, aspect, values):
    table = []
    for value in values:
        for harvest in ("inside", "outside"):
            own = [row for row in rows if row[aspect] == value and row["harvest"] == harvest]
            human = [row for row in own if row["label"] == "human"]
            made = [row for row in own if row["label"] == "artificial"]
            if human:
                shown = [describe(part, name) for name in ("balanced", "cautious") for part in (human, made)]
                table.append([value, f"{harvest}, {len({row['owner'] for row in human})}, {len({row['owner'] for row in made})}", *shown])
    header = ["", "harvest, people's owners, artificial ones", "accused by `balanced`", "found", "accused by `cautious`", "found"]
    return to_table(header, table)


def list_kinds(rows, names):
    """The rows of model.json's figures: of each medium by people, how many are called artificial by other owners' bounds."""
    kinds = []
    for medium, kind in names.items():
        own = [row for row in rows if row["medium"] == medium and row["label"] == "human"]
        called, low, high, _ = share(own, "balanced")
        sources = len({row["source"] for row in own})
        kinds.append({"label": "human", "kind": kind, "images": len(own), "sources": sources, **{name: round(value, 4) for name, value in (("called", called), ("calledLow", low), ("calledHigh", high))}})
    return kinds


NAMES = {
    PHOTOGRAPH: "web", "drawing": "paintings, drawings, comics", "render": "game scenes and computer graphics", "text": "memes and posters", "screenshot": "screenshots",
    "document": "scans, slides, charts and maps",
}
"""As page/texts names them."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--features", type=Path, required=True, help="that refit.py wrote")
    parser.add_argument("--left-out", type=Path, required=True, help="left-out.npz of head.py")
    parser.add_argument("--out", type=Path, required=True, help="bounds and rows for model.json")
    arguments = parser.parse_args()
    refitted = json.loads((arguments.features / "refit.json").read_text(encoding="utf-8"))
    rows = read_rows(arguments.index, arguments.features, arguments.left_out, refitted["calibration"])
    fitted = mark(rows)
    print(fitted, "\n")
    kinds = {}
    for tier in TIERS:
        own = [row for row in rows if row["tier"] == tier.name]
        kinds[tier.name] = list_kinds(own, NAMES)
        for name, listed in (("medium", NAMES), ("size", [name for _, name in SIZES])):
            print(f"{tier.name}, by {name}:\n\n{make_table(own, name, listed)}\n")
    arguments.out.write_text(json.dumps({"bounds": fitted, "kinds": kinds}, indent=2) + "\n", encoding="utf-8")
