"""Owns what a running appliance answered for every clip, from an evaluation's folder, in the form of the other figures.

`npm run evaluate -- --packs FOLDS --tiers` sends each clip to packs that were made without its fold: its calibration,
weights and bounds come from the other four too. FOLDER/figures.json has the figures of both packs fused, and
FOLDER/measurements.jsonl what was answered of each clip.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy

from confounds import measure_pairs, measure_subsets
from figures import NO_ANSWER, SHORT_BELOW_SECONDS, add_recall, load_scores
from packs import PACKS, TOGETHER, load_fits
from scoring import TIERS, weigh
from source_rows import measure_folds, to_family_rows, to_kind_rows, to_source_rows
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from metrics import bootstrap, measure, to_probability  # noqa: E402

HEURISTICS = ("balanced", "cautious", "sensitive", "majority")
SIDES = {"human": -1, "artificial": 1}


@dataclass
class Answers:
    """Of one tier, a row per clip: log-odds fused and of each pack, who calls it artificial, what the assessment decides."""

    fused: numpy.ndarray
    single: numpy.ndarray
    called: dict
    sides: numpy.ndarray
    answered: numpy.ndarray


def read_answers(folder, collection):
    """Returns {tier: Answers}. A clip without a record, or one more than once, is an error."""
    numbers = {row["file"]: number for number, row in enumerate(collection.rows)}
    by_tier = {tier.name: [None] * len(numbers) for tier in TIERS}
    lines = (folder / "measurements.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    for record in filter(lambda record: "probability" in record, map(json.loads, lines)):
        by_tier[record["tier"]][numbers[record["path"]]] = record
    for name, records in by_tier.items():
        if None in records:
            raise SystemExit(f"{folder}: expected every clip in tier {name}, found {len(records) - records.count(None)}")
    return {name: to_answers(records) for name, records in by_tier.items()}


def to_log_odds(probability):
    return NO_ANSWER if probability is None else numpy.log(probability / (1 - probability))


def to_answers(records):
    def score(record, pack):
        return to_log_odds(next((value for key, value in record["models"].items() if key.startswith(f"{pack.id}@")), None))

    return Answers(
        numpy.array([to_log_odds(record["probability"]) for record in records]),
        numpy.array([[score(record, pack) for pack in PACKS.values()] for record in records]),
        {name: numpy.array([name in record["called"] for record in records]) for name in HEURISTICS},
        numpy.array([SIDES.get(record["state"], 0) for record in records]),
        numpy.array([record["probability"] is not None for record in records]),
    )


def describe_tier(collection, tier, answers):
    is_artificial = collection.is_artificial
    return {
        "tier": tier.name, "description": tier.description, "clips": len(is_artificial),
        "answered": int(answers.answered.sum()), "sources": len(set(collection.sources)),
        "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
    }


def to_fused_tier(collection, tier, answers, estimates):
    """`estimates` as figures.json has them, those in which a clip without an answer counts as even odds."""
    figures = {name: numpy.nan if part["value"] is None else part["value"] for name, part in estimates.items()}
    intervals = {name: (part["low"], part["high"]) for name, part in estimates.items()}
    probabilities, cautious = to_probability(answers.fused), answers.called["cautious"]
    return {
        **describe_tier(collection, tier, answers), "figures": figures, "intervals": intervals,
        "heuristics": {name: to_heuristic(name.capitalize(), figures, intervals) for name in HEURISTICS},
        "byFold": measure_folds(collection, probabilities),
        "byFamily": to_family_rows(collection, probabilities, cautious),
        "byKind": to_kind_rows(collection, probabilities, cautious),
        "bySource": to_source_rows(collection, probabilities, cautious),
    }


def to_heuristic(name, figures, intervals):
    return {
        "recall": figures[f"recall{name}"], "recallInterval": intervals[f"recall{name}"],
        "falseAlarms": figures[f"falseAlarmRate{name}"], "falseAlarmsInterval": intervals[f"falseAlarmRate{name}"],
    }


def compare_sides(collection, by_tier):
    """How many verdicts that are decided clean and in a tier differ, and how many are decided in both."""
    weights, clean, result = weigh(collection.sources, collection.is_artificial), by_tier[TIERS[0].name].sides, {}
    for tier in TIERS[1:]:
        other = by_tier[tier.name].sides
        decided = (clean != 0) & (other != 0)
        flips = weights[decided & (clean != other)].sum() / weights[decided].sum()
        result[tier.name] = {"decidedInBoth": float(weights[decided].sum() / weights.sum()), "flips": float(flips)}
    return result


def bounds_alone(work, key, collection, tier):
    """Returns {bound: [clips]}: those of one pack alone, made without the clip's fold; of much speech or of little."""
    fits = [load_fits(work, key, fold) for fold in range(FOLD_COUNT)]
    is_short = load_scores(work, key).speech_seconds[tier] < SHORT_BELOW_SECONDS
    own = [fits[fold]["shortBounds" if short else "bounds"] for fold, short in zip(collection.folds, is_short)]
    return {name: numpy.array([bounds[name] for bounds in own]) for name in own[0]}


def to_single_tier(collection, tier, answers, column, bounds):
    """One pack by what the appliance states of it beside the others: alone it would judge by its own bounds."""
    is_artificial, sources = collection.is_artificial, collection.sources
    weights, probabilities = weigh(sources, is_artificial), to_probability(answers.single[:, column])
    return {
        **describe_tier(collection, tier, answers), "figures": add_recall(measure(probabilities, is_artificial, weights, bounds)),
        "intervals": bootstrap(probabilities, is_artificial, weights, sources, bounds),
        "byFold": measure_folds(collection, probabilities),
    }


def measure_appliance(work, folder, collection):
    """Returns ({key of a pack or TOGETHER: what replaces training's own figures}, {tier: fused log-odds})."""
    by_tier = read_answers(folder, collection)
    report = json.loads((folder / "figures.json").read_text(encoding="utf-8"))
    estimates = {tier["tier"]: tier["figuresWithSilence"] for tier in report["tiers"]}
    result = {}
    for column, key in enumerate(PACKS):
        bounds = {tier.name: bounds_alone(work, key, collection, tier.name) for tier in TIERS}
        result[key] = {
            "tiers": [to_single_tier(collection, tier, by_tier[tier.name], column, bounds[tier.name]) for tier in TIERS]
        }
    fused = {name: answers.fused for name, answers in by_tier.items()}
    result[TOGETHER] = {
        "tiers": [to_fused_tier(collection, tier, by_tier[tier.name], estimates[tier.name]) for tier in TIERS],
        "pairs": {name: measure_pairs(collection, values) for name, values in fused.items()},
        "flips": compare_sides(collection, by_tier),
        "subsets": measure_subsets(collection, fused["clean"]),
    }
    return result, fused
