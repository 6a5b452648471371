"""Stage 5: measures the left-out scores, with everything that is chosen chosen on the other folds.

Writes WORK/evaluation.json: figures of all samples, by kind of edit, by final encoding and by source,
with 95 % intervals from drawing sources again.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy

sys.path.append(str(Path(__file__).resolve().parent.parent))

from decisions import HALF, Decision, Scores, fit_decision, to_overlap
from metrics import to_auc, to_brier, to_ece, to_probability, to_rates, to_tpr_at_fpr
from sample_cache import SampleCache
from samples import KINDS
from score import SCORES_FILE, list_networks, load_network

EVALUATION_FILE = "evaluation.json"
REPLICATE_COUNT = 400
WORST_COUNT = 3
ENCODINGS = (
    ("lossless", lambda quality: quality == 100),
    ("JPEG 85 to 98", lambda quality: (quality >= 85) & (quality < 100)),
    ("JPEG 70 to 84", lambda quality: (quality >= 70) & (quality < 85)),
    ("JPEG 50 to 69", lambda quality: (quality >= 50) & (quality < 70)),
    ("WebP 50 to 98", lambda quality: quality < 0),
)


def read_scores(work):
    with numpy.load(work / SCORES_FILE) as stored:
        return Scores(**{name: stored[name] for name in stored.files})


class Judged:
    """Scores with what the decisions of the other folds make of them."""

    def __init__(self, scores):
        count = len(scores.logits)
        self.scores = scores
        self.probability, self.cautious = numpy.zeros(count), numpy.zeros(count)
        self.f1, self.pixel_accuracy = numpy.full(count, numpy.nan), numpy.zeros(count)
        self.called_cells = numpy.zeros(count)
        self.decisions = {}
        self.measured_folds = [int(fold) for fold in numpy.unique(scores.folds)]
        for fold in self.measured_folds:
            rows = numpy.nonzero(scores.folds == fold)[0]
            self.judge(rows, fit_decision(scores.take(scores.folds != fold)))

    def judge(self, rows, decision):
        part = self.scores.take(rows)
        self.probability[rows] = to_probability(decision.to_log_odds(part.logits))
        self.cautious[rows] = decision.cautious_threshold
        called = decision.to_cells(part.cells) >= decision.cell_threshold
        truth = part.truth >= HALF
        self.f1[rows] = numpy.where(part.is_edited, to_overlap(called, truth), numpy.nan)
        self.pixel_accuracy[rows] = (called == truth).mean(axis=(1, 2))
        self.called_cells[rows] = called.mean(axis=(1, 2))
        self.decisions[int(part.folds[0])] = vars(decision)

    def measure(self, rows):
        """Returns the figures of some rows, which may repeat."""
        edited = self.scores.is_edited[rows]
        probability, ones = self.probability[rows], numpy.ones(len(rows))
        recall, false_alarms = to_rates(probability, edited, ones, 0.5)
        cautious = to_rates(probability, edited, ones, self.cautious[rows])
        return {
            "auc": to_auc(probability, edited, ones),
            "balancedAccuracy": (recall + 1 - false_alarms) / 2,
            "tprAtFpr5": to_tpr_at_fpr(probability, edited, ones, 0.05),
            "tprAtFpr1": to_tpr_at_fpr(probability, edited, ones, 0.01),
            "ece": to_ece(probability, edited, ones),
            "brier": to_brier(probability, edited, ones),
            "falseAlarmRateBalanced": false_alarms,
            "falseAlarmRateCautious": cautious[1],
            "recallCautious": cautious[0],
            "pixelF1": float(numpy.nanmean(self.f1[rows])),
            "falselyCalledCells": float(self.called_cells[rows][~edited].mean()),
        }

    def with_intervals(self, rows, seed=1):
        """Returns the figures and their intervals over sources; authentic and edited pictures of one are drawn together."""
        rng = numpy.random.default_rng(seed)
        names, inverse = numpy.unique(self.scores.sources[rows], return_inverse=True)
        members = [rows[inverse == index] for index in range(len(names))]
        drawn = []
        for _ in range(REPLICATE_COUNT):
            chosen = numpy.concatenate([members[index] for index in rng.integers(len(names), size=len(names))])
            drawn.append(self.measure(chosen))
        intervals = {
            name: [float(value) for value in numpy.nanpercentile([one[name] for one in drawn], (2.5, 97.5))]
            for name in drawn[0]
        }
        return {
            "figures": self.measure(rows), "intervals": intervals,
            "images": int(len(rows)), "edited": int(self.scores.is_edited[rows].sum()), "sources": int(len(names)),
        }

    def measure_trust(self):
        """Returns how well trust tells right cells from wrong ones, and the accuracy of the least and most trusted quarter."""
        scores = self.scores
        right = numpy.zeros(scores.cells.shape, dtype=bool)
        for fold in self.measured_folds:
            rows = scores.folds == fold
            decision = Decision(**self.decisions[fold])
            called = decision.to_cells(scores.cells[rows]) >= decision.cell_threshold
            right[rows] = called == (scores.truth[rows] >= HALF)
        trust, right = scores.trust.ravel(), right.ravel()
        chosen = numpy.random.default_rng(1).choice(len(trust), min(200_000, len(trust)), replace=False)
        trust, right = trust[chosen], right[chosen]
        order = numpy.argsort(trust)
        quarter = len(order) // 4
        return {
            "auc": to_auc(trust, right, numpy.ones(len(trust))),
            "accuracyLeastTrusted": float(right[order[:quarter]].mean()),
            "accuracyMostTrusted": float(right[order[-quarter:]].mean()),
        }


def list_worst(judged):
    """Returns the human sources most often called edited, and those whose edits are missed most."""
    scores = judged.scores
    rows = []
    for source in numpy.unique(scores.sources):
        mine = scores.sources == source
        authentic, edited = mine & ~scores.is_edited, mine & scores.is_edited
        rows.append({
            "source": str(source), "images": int(authentic.sum()),
            "falseAlarms": float((judged.probability[authentic] >= 0.5).mean()),
            "missed": float((judged.probability[edited] < 0.5).mean()),
        })
    enough = [row for row in rows if row["images"] >= 5]
    return {
        "falseAlarms": sorted(enough, key=lambda row: -row["falseAlarms"])[:WORST_COUNT],
        "missed": sorted(enough, key=lambda row: -row["missed"])[:WORST_COUNT],
    }


def count_crops(cache):
    """Returns how many crops were hosts; one that was drawn again has another history and another edit."""
    return len(numpy.unique(cache.crops))


def describe_training(work, folds):
    cache = SampleCache(work, folds)
    return {
        **load_network(work, folds)[1],
        "hosts": cache.pair_count, "crops": count_crops(cache), "sources": len(numpy.unique(cache.sources)),
    }


def evaluate(work):
    judged = Judged(read_scores(work))
    scores = judged.scores
    everything = numpy.arange(len(scores.logits))
    result = {
        "all": judged.with_intervals(everything),
        "byKind": {
            kind: judged.with_intervals(numpy.nonzero((scores.kinds == kind) | ~scores.is_edited)[0]) for kind in KINDS
        },
        "byEncoding": {
            name: judged.with_intervals(numpy.nonzero(matches(scores.qualities))[0]) for name, matches in ENCODINGS
        },
        "byFold": {str(fold): judged.measure(numpy.nonzero(scores.folds == fold)[0]) for fold in judged.measured_folds},
        "trust": judged.measure_trust(),
        "worst": list_worst(judged),
        "crops": count_crops(SampleCache(work, judged.measured_folds)),
        "decisions": {str(fold): decision for fold, decision in judged.decisions.items()},
        "trainings": [describe_training(work, folds) for folds in list_networks(work)],
    }
    (work / EVALUATION_FILE).write_text(json.dumps(result, indent=2), encoding="utf-8")
    figures, intervals = result["all"]["figures"], result["all"]["intervals"]
    for name, value in figures.items():
        print(f"{name:24} {value:.3f} ({intervals[name][0]:.3f} to {intervals[name][1]:.3f})")
    for part in ("byKind", "byEncoding"):
        for name, row in result[part].items():
            print(f"{name:16} AUC {row['figures']['auc']:.3f} F1 {row['figures']['pixelF1']:.3f}")
    print(result["trust"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    evaluate(parser.parse_args().work)
