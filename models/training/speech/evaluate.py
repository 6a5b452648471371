"""Stage 4: calibrates on out-of-fold scores and measures every pack, and both together.

Together means as the appliance does it: the weighted mean of the calibrated
log-odds, and bounds of that mean.
"""

import argparse
import sys
from pathlib import Path

from clips import ClipCollection
from figures import evaluate, load_scores, measure_further, write_json
from packs import PACKS, TOGETHER, to_evaluation_file

sys.path.append(str(Path(__file__).parent.parent))
from score_table import write_score_table  # noqa: E402

SCORES_FILE = "left-out-scores.tsv"


def describe(key, result):
    for tier in result["tiers"]:
        low, high = tier["intervals"]["auc"]
        shown = {name: round(value, 3) for name, value in tier["figures"].items()}
        print(key, tier["tier"], shown, f"AUC interval {low:.3f} to {high:.3f}",
              "folds", [round(value, 3) for value in tier["byFold"]])
        print("  ", {row["family"]: round(row["auc"], 3) for row in tier["byFamily"]})


def describe_further(result):
    for tier in result["others"]:
        shown = ("auc", "tprAtFpr5", "falseAlarmRateBalanced", "falseAlarmRateCautious", "recallCautious")
        print(tier["tier"], "answered", tier["answered"], {name: round(tier["figures"][name], 3) for name in shown})
    print("pairs", {name: {column: round(part["share"], 3) for column, part in own.items()} for name, own in result["pairs"].items()})
    for row in result["tiers"][0]["byKind"]:
        print("  ", row["kind"], row["clips"], {name: round(row[name], 3) for name in ("falseAlarms", "auc")})
    print("bounds", result["bounds"], "of little speech", result["shortBounds"])
    for name, change in result["changes"].items():
        print(name, {part: round(change[part], 3) for part in ("change", "low", "high")})
    for name, subset in result["subsets"].items():
        print(name, {part: round(value, 3) for part, value in subset.items()})


def run(work):
    collection = ClipCollection(work, ("clean",))
    scores = {key: load_scores(work, key) for key in PACKS}
    for key in PACKS:
        result, _ = evaluate(collection, [scores[key]])
        write_json(to_evaluation_file(work, key), result)
        describe(key, result)
    packs = [scores[key] for key in PACKS]
    result, crossed = evaluate(collection, packs)
    result.update(measure_further(collection, packs, crossed))
    write_json(to_evaluation_file(work, TOGETHER), result)
    labels, sources = zip(*((row["label"], row["source"]) for row in collection.rows))
    write_score_table(work / SCORES_FILE, labels, sources, crossed.fused)
    describe(TOGETHER, result)
    describe_further(result)
    print("weights by fold", [fit["weights"] for fit in result["leftOut"]], "shipped", result["weights"], "flips", result["flips"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    run(parser.parse_args().work)
