"""Owns the figures of whole pictures: what the appliance answered for them through packs that had not seen their source.

Reads the journal that `npm run evaluate -- --task tampering` leaves. A source is drawn with all its pictures, edited and not.
"""

import json
import math
from collections import Counter
from pathlib import Path

import numpy

from metrics import REPLICATE_COUNT, to_auc, to_brier, to_ece, to_interval, to_rates, to_tpr_at_fpr
from scored import wilson
from weights import weigh

JOURNAL_FILE = "measurements.jsonl"
MAP_THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
"""As the journal has them."""
EDIT_SIDES = ((0, 120), (120, 240), (240, math.inf))
"""Square root of the edited pixels."""
GROUP_MIN = 15


class Answers:
    """What was answered for each picture, with its row of the index."""

    def __init__(self, folder, index):
        lines = [json.loads(line) for line in (folder / JOURNAL_FILE).read_text(encoding="utf-8").splitlines()]
        answered = [line for line in lines if line.get("probability") is not None]
        twins = Counter(Path(line["path"]).stem for line in answered)
        # An edit without its twin would count one picture more for one label than for the other.
        self.lines = [line for line in answered if twins[Path(line["path"]).stem] == 2]
        self.rows = [index[line["path"]] for line in self.lines]
        self.probabilities = numpy.array([line["probability"] for line in self.lines])
        self.is_edited = numpy.array([line["label"] == "artificial" for line in self.lines])
        self.sources = numpy.array([row["source"] for row in self.rows])
        self.states = numpy.array([line["state"] for line in self.lines])

    def list_groups(self):
        """Yields (title, mask): pictures of one ending, host, kind of edit or size; the last two against all authentic ones."""
        for column, names in (("tier", ("clean", "recompressed", "resized")), ("kind", ("human", "artificial"))):
            values = numpy.array([row[column] for row in self.rows])
            for name in names:
                yield (name if column == "tier" else f"{name} pictures"), values == name
        edits = numpy.array([row["edit"] for row in self.rows])
        for name in ("splice", "copy-move", "removal", "retouch"):
            yield name, ~self.is_edited | (edits == name)
        sides = numpy.array([int(row["side"]) for row in self.rows])
        for low, high in EDIT_SIDES:
            title = f"edit of {low} px and more" if high == math.inf else f"edit below {high} px" if low == 0 else f"edit of {low} to {high} px"
            yield title, ~self.is_edited | ((sides >= low) & (sides < high))


def measure(probabilities, states, is_edited, weights, pixel_f1):
    called = (states == "artificial").astype(float)
    recall, alarms = to_rates(called, is_edited, weights, 0.5)
    half = to_rates(probabilities, is_edited, weights, 0.5)
    kept = ~numpy.isnan(pixel_f1)
    return {
        "auc": to_auc(probabilities, is_edited, weights), "tprAtFpr5": to_tpr_at_fpr(probabilities, is_edited, weights, 0.05),
        "tprAtFpr1": to_tpr_at_fpr(probabilities, is_edited, weights, 0.01), "ece": to_ece(probabilities, is_edited, weights),
        "brier": to_brier(probabilities, is_edited, weights), "balancedAccuracy": (half[0] + 1 - half[1]) / 2,
        "falseAlarmRateBalanced": half[1], "recallBalanced": half[0], "falseAlarmRateCautious": alarms, "recallCautious": recall,
        "pixelF1": float(numpy.average(pixel_f1[kept], weights=weights[kept])) if kept.any() else 0.0,
    }


def widen(interval, share, count):
    """Never narrower than Wilson's interval of as many trials as there are sources."""
    low, high = wilson(share, count)
    return min(interval[0], low), max(interval[1], high)


def measure_with_intervals(answers, mask, threshold):
    at = MAP_THRESHOLDS.index(threshold)
    maps = [answers.lines[index].get("localisation") for index in numpy.flatnonzero(mask)]
    is_edited, sources = answers.is_edited[mask], answers.sources[mask]
    f1 = numpy.array([
        2 * found["hit"][at] / (found["called"][at] + found["edited"]) if edited and found else math.nan
        for found, edited in zip(maps, is_edited)
    ])
    weights = weigh(sources, is_edited)
    columns = (answers.probabilities[mask], answers.states[mask], is_edited)
    figures = measure(*columns, weights, f1)
    rng = numpy.random.default_rng(1)
    names, inverse = numpy.unique(sources, return_inverse=True)
    drawn = []
    for _ in range(REPLICATE_COUNT // 2):
        times = numpy.bincount(rng.choice(len(names), len(names)), minlength=len(names))[inverse]
        kept = times > 0
        both = is_edited[kept].any() and (~is_edited[kept]).any()
        if both:
            drawn.append(measure(*(column[kept] for column in columns), (weights * times)[kept], f1[kept]))
    intervals = {name: to_interval([one[name] for one in drawn]) for name in figures}
    for name in ("falseAlarmRateCautious", "recallCautious", "falseAlarmRateBalanced", "recallBalanced", "tprAtFpr5"):
        intervals[name] = widen(intervals[name], figures[name], len(names))
    return {
        "figures": figures, "intervals": intervals, "sources": len(names),
        "images": int(mask.sum()), "edited": int(is_edited.sum()),
    }


def measure_all(folder, index, threshold):
    """Returns {title: figures with intervals}, all pictures first."""
    answers = Answers(Path(folder), index)
    result = {"all": measure_with_intervals(answers, numpy.ones(len(answers.lines), dtype=bool), threshold)}
    for title, mask in answers.list_groups():
        if min(answers.is_edited[mask].sum(), (~answers.is_edited[mask]).sum()) >= GROUP_MIN:
            result[title] = measure_with_intervals(answers, mask, threshold)
    return result
