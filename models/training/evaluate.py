"""Stage 5: measures the calibrated model on the test fold, whose sources nothing else has used."""

import argparse
import csv
import json
import re
from pathlib import Path

import numpy

from calibrate import CALIBRATION_FILE
from metrics import bootstrap, measure, to_auc, to_probability
from scoring import load_all, score_tier, weigh
from splits import TEST_FOLD
from tiers import TIERS, Tier

EVALUATION_FILE = "evaluation.json"
KINDS_FILE = Path(__file__).parent / "kinds.tsv"
SOURCE_SIZE_MIN = 5
ONE_FORMAT = Tier("one-format", 0, 90, "every picture re-encoded as JPEG 90, not scaled")


def read_kinds(path=KINDS_FILE):
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [(re.compile(row["pattern"], re.IGNORECASE), row["kind"]) for row in rows]


def to_kind(crop, kinds):
    """Returns the coarse kind of a human picture from what its source and index say."""
    text = f"{crop.kind} {crop.source}"
    return next((kind for pattern, kind in kinds if pattern.search(text)), "photographs")


def evaluate_subset(scores, probabilities, mask):
    """AUC of some pictures, weighed anew, with their counts."""
    sources, is_artificial = scores.sources[mask], scores.is_artificial[mask]
    weights = weigh(sources, is_artificial)
    return {
        "auc": to_auc(probabilities[mask], is_artificial, weights),
        "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
    }


def to_source_rows(scores, probabilities, threshold):
    """Returns one row per source: how often it is called artificial, balanced and cautious."""
    rows = []
    for source in sorted(set(scores.sources)):
        mask = scores.sources == source
        crop = scores.crops[int(numpy.nonzero(mask)[0][0])]
        rows.append({
            "label": crop.label, "source": crop.source, "kind": crop.kind, "images": int(mask.sum()),
            "calledArtificial": float((probabilities[mask] >= 0.5).mean()),
            "calledArtificialCautious": float((probabilities[mask] >= threshold).mean()),
            "meanProbability": float(probabilities[mask].mean()),
        })
    return rows


def to_kind_rows(scores, probabilities, threshold):
    """Returns one row per kind of human picture: its false alarms."""
    kinds = read_kinds()
    kind_of = numpy.array([
        "" if crop.is_artificial else to_kind(crop, kinds) for crop in scores.crops
    ])
    return [
        {
            "kind": kind, "images": int((kind_of == kind).sum()),
            "sources": len(set(scores.sources[kind_of == kind])),
            "falseAlarmRateBalanced": float((probabilities[kind_of == kind] >= 0.5).mean()),
            "falseAlarmRateCautious": float((probabilities[kind_of == kind] >= threshold).mean()),
        }
        for kind in sorted(set(kind_of) - {""})
    ]


def evaluate_tier(network, collection, tier, calibration):
    scores = score_tier(network, collection, TEST_FOLD, tier)
    probabilities = to_probability(calibration["slope"] * scores.logits + calibration["intercept"])
    figures = measure(probabilities, scores.is_artificial, scores.weights, calibration)
    intervals = bootstrap(
        probabilities, scores.is_artificial, scores.weights, scores.sources, calibration
    )
    jpeg = numpy.array([crop.was_jpeg for crop in scores.crops])
    threshold = calibration["cautiousThreshold"]
    return {
        "tier": tier.name, "description": tier.description,
        "images": len(scores.crops), "sources": len(set(scores.sources)),
        "human": int((~scores.is_artificial).sum()), "artificial": int(scores.is_artificial.sum()),
        "figures": figures, "intervals": intervals,
        "jpegOriginalsOnly": evaluate_subset(scores, probabilities, jpeg),
        "scaleHeldShare": scores.held_share, "belowPatchShare": scores.below_patch_share,
        "bySource": to_source_rows(scores, probabilities, threshold),
        "byKind": to_kind_rows(scores, probabilities, threshold),
        "worstGenerators": find_worst(to_source_rows(scores, probabilities, threshold), "artificial"),
        "worstHumanSources": find_worst(to_source_rows(scores, probabilities, threshold), "human"),
    }


def find_worst(rows, label):
    """Returns the three sources of a label, of at least SOURCE_SIZE_MIN pictures, told worst."""
    candidates = [row for row in rows if row["label"] == label and row["images"] >= SOURCE_SIZE_MIN]
    sign = 1 if label == "artificial" else -1
    return sorted(candidates, key=lambda row: (sign * row["calledArtificial"], sign * row["meanProbability"]))[:3]


def evaluate(work_folder):
    network, trained, collection = load_all(work_folder)
    calibration = json.loads((work_folder / CALIBRATION_FILE).read_text(encoding="utf-8"))
    if calibration["trained"] != trained:
        raise SystemExit("the checkpoint is newer than the calibration: run calibrate.py again")
    tiers = [
        evaluate_tier(network, collection, tier, calibration) for tier in (*TIERS, ONE_FORMAT)
    ]
    (work_folder / EVALUATION_FILE).write_text(
        json.dumps({"trained": trained, "tiers": tiers}, indent=2), encoding="utf-8"
    )
    for tier in tiers:
        print(tier["tier"], {name: round(value, 3) for name, value in tier["figures"].items()},
              "AUC interval", [round(value, 3) for value in tier["intervals"]["auc"]],
              "JPEG originals only", round(tier["jpegOriginalsOnly"]["auc"], 3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    evaluate(parser.parse_args().work)
