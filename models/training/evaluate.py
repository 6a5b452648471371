"""Stage 5: figures of the fused result, and of each detector, on the test folds of all rounds.

Each round's calibrations, weights and thresholds come from its calibration
fold; a source is measured in the one round that neither trained nor calibrated
with it.
"""

import argparse
import csv
import json
import re
from pathlib import Path

import numpy

from crops import CropCollection
from fusion import fuse, to_log_odds
from heuristics import measure_flips, measure_heuristics, to_calls
from metrics import bootstrap, compare_auc, fit_platt, measure, to_auc, to_cllr, to_ece, to_probability
from outcome import DETECTORS, QUALITY_TIER_NAMES, Outcome, take_part
from score_table import write_score_table
from scoring import weigh
from splits import ALL_FOLDS, ROUNDS
from tested import Tested
from texture import find_refused
from tiers import CONFOUNDS, TIERS, to_scale

EVALUATION_FILE = "evaluation.json"
SCORES_FILE = "left-out-scores.tsv"
KINDS_FILE = Path(__file__).parent / "kinds.tsv"
SOURCE_SIZE_MIN = 5
CONFOUND_CHANGE_MAX = 0.03
"""Of the AUC, when a confound is made the same for all; more, with an interval that excludes 0, is a failure."""


def read_kinds(path=KINDS_FILE):
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [(re.compile(row["pattern"], re.IGNORECASE), row["kind"]) for row in rows]


def to_kind(crop, kinds):
    """Returns the coarse kind of a human picture from what its source and index say."""
    text = f"{crop.kind} {crop.source}"
    return next((kind for pattern, kind in kinds if pattern.search(text)), "photographs")


def evaluate_subset(tested, scores, rows):
    """AUC of some pictures, weighed anew, with their counts."""
    is_artificial = tested.part.is_artificial[rows]
    weights = weigh(tested.part.sources[rows], is_artificial)
    return {
        "auc": to_auc(scores[rows], is_artificial, weights),
        "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
    }


def to_source_rows(tested, probabilities):
    """Returns one row per source: how often it is called artificial, balanced and cautious."""
    rows = []
    cautious = probabilities >= tested.decision["cautiousThreshold"]
    for source in sorted(set(tested.part.sources)):
        mask = tested.part.sources == source
        crop = tested.crops[int(numpy.nonzero(mask)[0][0])]
        rows.append({
            "label": crop.label, "source": crop.source, "kind": crop.kind, "images": int(mask.sum()),
            "calledArtificial": float((probabilities[mask] >= 0.5).mean()),
            "calledArtificialCautious": float(cautious[mask].mean()),
            "meanProbability": float(probabilities[mask].mean()),
        })
    return rows


def to_kind_rows(tested, probabilities):
    """Returns one row per kind of human picture: its false alarms."""
    kinds = read_kinds()
    cautious = probabilities >= tested.decision["cautiousThreshold"]
    kind_of = numpy.array(["" if crop.is_artificial else to_kind(crop, kinds) for crop in tested.crops])
    return [
        {
            "kind": kind, "images": int((kind_of == kind).sum()),
            "sources": len(set(tested.part.sources[kind_of == kind])),
            "falseAlarmRateBalanced": float((probabilities[kind_of == kind] >= 0.5).mean()),
            "falseAlarmRateCautious": float(cautious[kind_of == kind].mean()),
        }
        for kind in sorted(set(kind_of) - {""})
    ]


def find_worst(rows, label):
    """Returns the three sources of a label, of at least SOURCE_SIZE_MIN pictures, told worst."""
    candidates = [row for row in rows if row["label"] == label and row["images"] >= SOURCE_SIZE_MIN]
    sign = 1 if label == "artificial" else -1
    return sorted(candidates, key=lambda row: (sign * row["calledArtificial"], sign * row["meanProbability"]))[:3]


def measure_all(tested, log_odds):
    part, probabilities = tested.part, to_probability(log_odds)
    arguments = (probabilities, part.is_artificial, part.weights)
    return {
        "figures": measure(*arguments, tested.decision),
        "intervals": bootstrap(*arguments, part.sources, tested.decision),
    }


def evaluate_tier(tested, tier):
    part, probabilities = tested.part, to_probability(tested.fused[tier.name])
    source_rows = to_source_rows(tested, probabilities)
    jpeg = numpy.array([crop.was_jpeg for crop in tested.crops])
    return {
        "tier": tier.name, "description": tier.description,
        "images": len(tested.crops), "sources": len(set(part.sources)),
        "human": int((~part.is_artificial).sum()), "artificial": int(part.is_artificial.sum()),
        "fused": measure_all(tested, tested.fused[tier.name]),
        "detectors": {
            name: measure_all(tested, tested.single[tier.name][:, column])
            for column, name in enumerate(DETECTORS)
        },
        "aucByFold": {
            str(fold): evaluate_subset(tested, probabilities, tested.folds == fold) for fold in ALL_FOLDS
        },
        "jpegOriginalsOnly": evaluate_subset(tested, probabilities, jpeg),
        "scaleHeldShare": float(numpy.mean([to_scale(tier, crop)[1] for crop in tested.crops])),
        "heuristics": measure_heuristics(
            to_calls(tested.single[tier.name], tested.fused[tier.name], tested.decision["cautiousThreshold"]),
            part.is_artificial, part.weights, part.sources,
        ),
        "bySource": source_rows, "byKind": to_kind_rows(tested, probabilities),
        "worstGenerators": find_worst(source_rows, "artificial"),
        "worstHumanSources": find_worst(source_rows, "human"),
    }


def compare_confounds(tested):
    """How the AUC of the same pictures changes when a confound is made the same for all."""
    part, clean, result = tested.part, tested.fused["clean"], []
    for tier in CONFOUNDS:
        other = tested.fused[tier.name]
        change, interval = compare_auc(clean, other, part.is_artificial, part.weights, part.sources)
        result.append({
            "confound": tier.name, "description": tier.description, "aucChange": change, "interval": interval,
            "auc": to_auc(other, part.is_artificial, part.weights),
        })
    return result


def count_refused(collection):
    """Returns of each label how many pictures are refused as found, and the share; they are in no figure."""
    refused, counts = find_refused(collection), {}
    for label in ("human", "artificial"):
        own = numpy.array([crop.label == label for crop in collection.crops])
        counts[label] = {"count": int(refused[own].sum()), "share": float(refused[own].mean())}
    return counts


def compare_tiers(tested):
    """How many verdicts that are decided clean and in a tier differ, and how many are decided in both."""
    clean, result = to_probability(tested.fused[TIERS[0].name]), {}
    for tier in TIERS[1:]:
        other = to_probability(tested.fused[tier.name])
        decided, flips = measure_flips(clean, other, tested.decision, tested.part.weights)
        result[tier.name] = {"decidedInBoth": decided, "flips": flips}
    return result


def find_confounded(comparisons):
    """Returns the confounds that the fused result leans on."""
    return [
        entry["confound"] for entry in comparisons
        if abs(entry["aucChange"]) > CONFOUND_CHANGE_MAX and not entry["interval"][0] <= 0 <= entry["interval"][1]
    ]


def compare_tier_calibrations(tested, outcome, collection):
    """Calibration error per tier with one line for all tiers, and with a line per tier, both from inner splits."""
    part, result = tested.part, {}
    for tier in QUALITY_TIER_NAMES:
        own = numpy.empty(len(part.indices))
        for round_ in ROUNDS:
            fitted, inner = tested.rounds[round_.test], take_part(collection, (round_.calibration,))
            weights = numpy.array(fitted["weights"])
            inner_log_odds = fuse(to_log_odds(outcome.read(round_.test, tier, inner), fitted["lines"]), weights)
            slope, intercept = fit_platt(inner_log_odds, inner.is_artificial, inner.weights)
            rows = tested.folds == round_.test
            own[rows] = slope * tested.fused[tier][rows] + intercept
        result[tier] = {
            "ece": to_ece(to_probability(tested.fused[tier]), part.is_artificial, part.weights),
            "eceOfOwnLine": to_ece(to_probability(own), part.is_artificial, part.weights),
            "cllr": to_cllr(to_probability(tested.fused[tier]), part.is_artificial, part.weights),
            "cllrOfOwnLine": to_cllr(to_probability(own), part.is_artificial, part.weights),
        }
    return result


def evaluate(work_folder):
    collection = CropCollection(work_folder)
    outcome = Outcome(work_folder)
    tested = Tested(outcome, collection)
    result = {
        "trainings": outcome.trainings,
        "refused": count_refused(collection),
        "rounds": {str(fold): fitted for fold, fitted in tested.rounds.items()},
        "tiers": [evaluate_tier(tested, tier) for tier in (*TIERS, *CONFOUNDS)],
        "confounds": compare_confounds(tested), "flips": compare_tiers(tested),
        "tierCalibrations": compare_tier_calibrations(tested, outcome, collection),
    }
    (work_folder / EVALUATION_FILE).write_text(json.dumps(result, indent=2), encoding="utf-8")
    write_score_table(
        work_folder / SCORES_FILE, [crop.label for crop in tested.crops], [crop.source for crop in tested.crops],
        tested.fused,
    )
    print_result(result)
    confounded = find_confounded(result["confounds"])
    if confounded:
        raise SystemExit(f"the AUC changes by more than {CONFOUND_CHANGE_MAX} when made the same: {confounded}")


def print_result(result):
    for tier in result["tiers"]:
        print(tier["tier"], {name: round(value, 3) for name, value in tier["fused"]["figures"].items()})
        print("  AUC interval", [round(value, 3) for value in tier["fused"]["intervals"]["auc"]],
              "by fold", [round(part["auc"], 3) for part in tier["aucByFold"].values()],
              "JPEG originals only", round(tier["jpegOriginalsOnly"]["auc"], 3),
              {name: round(entry["figures"]["auc"], 3) for name, entry in tier["detectors"].items()})
    print(json.dumps({name: result[name] for name in ("rounds", "confounds", "tierCalibrations", "flips")}, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    evaluate(parser.parse_args().work)
