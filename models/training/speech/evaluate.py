"""Stage 4: calibrates on out-of-fold scores and measures every pack, and both together.

Together means as the appliance does it: the weighted mean of the calibrated
log-odds, and the highest of the packs' cautious thresholds.
"""

import argparse
from pathlib import Path

import numpy

from clips import ClipCollection
from figures import evaluate, load_scores, write_json
from packs import PACKS, to_evaluation_file


def describe(key, result):
    for tier in result["tiers"]:
        low, high = tier["intervals"]["auc"]
        shown = {name: round(value, 3) for name, value in tier["figures"].items()}
        print(key, tier["tier"], shown, f"AUC interval {low:.3f} to {high:.3f}",
              "folds", [round(value, 3) for value in tier["byFold"]])
        print("  ", {row["family"]: round(row["auc"], 3) for row in tier["byFamily"]})
    for name, change in result["confounds"]["changes"].items():
        print(key, name, {part: round(change[part], 3) for part in ("change", "low", "high")})
    for name, subset in result["confounds"]["subsets"].items():
        print(key, name, {part: round(value, 3) for part, value in subset.items()})


def run(work):
    collection = ClipCollection(work)
    results, parts = [], []
    for pack in PACKS.values():
        result, log_odds = evaluate(collection, load_scores(work, pack.key))
        write_json(to_evaluation_file(work, pack.key), result)
        describe(pack.key, result)
        results.append(result)
        parts.append((pack.weight, log_odds))
    total = sum(weight for weight, _ in parts)
    together = {name: sum(weight * part[name] for weight, part in parts) / total for name in parts[0][1]}
    together = {name: part[:, None] * numpy.array([1, 0, 0]) for name, part in together.items()}
    result, _ = evaluate(collection, together, [part["byFold"] for part in results])
    write_json(to_evaluation_file(work, "together"), result)
    describe("together", result)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    run(parser.parse_args().work)
