"""Owns the scores of left-out pictures in every tier, and the bounds that follow from them. Pure but for reading."""

import copy
import json
import math

import numpy

from calibrate import LINE_DIGITS
from decisions import BAND_ERROR_RATE, PERCENT
from metrics import fit_platt, to_probability
from speech.conformal import choose_conformal_threshold
from tiers import TIERS
from traces.folds import assign_folds
from weights import weigh

FOLD_COUNT = 5
BALANCED_RISK, CAUTIOUS_RISK = 0.08, 0.01
"""Share of the next owner's human pictures that may be called artificial, in each tier; conformal over owners."""
Z_95 = 1.959964
BOUNDS = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")


class Scored:
    """Pictures of one harvest that have an answer in every tier."""

    def __init__(self, paths):
        rows = [json.loads(row) for path in paths for row in path.read_text(encoding="utf-8").splitlines()]
        # What was not made of every file is shown of none.
        tiers = [tier for tier in rows[0]["tiers"] if all(tier in row["tiers"] for row in rows)]
        answered = [row for row in rows if all(row["tiers"][tier]["now"] is not None for tier in tiers)]
        self.refused = len(rows) - len(answered)
        self.take(answered, tiers)

    def take(self, rows, tiers):
        self.rows = rows
        self.labels = numpy.array([row["label"] == "artificial" for row in self.rows])
        self.sources = numpy.array([f"{row['label']}/{row['source']}" for row in self.rows])
        self.owners = numpy.array([f"{row['label']}/{row['owner']}" for row in self.rows])
        # An owner with twenty generators of one scene is not twenty voices.
        self.weights = weigh(self.owners, self.labels)
        self.scores = {tier: numpy.array([row["tiers"][tier]["now"] for row in self.rows]) for tier in tiers}

    def select(self, kept):
        """Returns the same of some of the pictures."""
        part = copy.copy(self)
        part.take([row for row, is_kept in zip(self.rows, kept) if is_kept], list(self.scores))
        return part

    def fit(self, kept):
        """Returns line and bounds from some of the pictures, in all three tiers; a tier counts for as much as another."""
        scores = [self.scores[tier.name][kept] for tier in TIERS]
        labels, owners = self.labels[kept], self.owners[kept]
        line = self.fit_line(scores, kept)
        stated = [to_probability(line[0] * part + line[1]) for part in scores]
        human = [(part[~labels], owners[~labels]) for part in stated]
        artificial = -numpy.concatenate([part[labels] for part in stated]), numpy.tile(owners[labels], len(TIERS))
        # Pooled, the tiers hide that one of them accuses more.
        threshold = max(bound_owners(*part, CAUTIOUS_RISK) for part in human)
        high = max(0.51, *(bound_owners(*part, BALANCED_RISK) for part in human))
        low = min(0.49, -bound_owners(*artificial, BAND_ERROR_RATE))
        return {
            "line": line, "cautiousThreshold": round(threshold + 5e-7, LINE_DIGITS),
            "inconclusiveLow": float(numpy.floor(low * PERCENT) / PERCENT), "inconclusiveHigh": float(numpy.ceil(high * PERCENT) / PERCENT),
        }

    def fit_line(self, scores, kept):
        labels = self.labels[kept]
        tiled = [numpy.tile(part, len(TIERS)) for part in (labels, weigh(self.owners[kept], labels))]
        return [round(value, LINE_DIGITS) for value in fit_platt(numpy.concatenate(scores), *tiled)]

    def decide_left_out(self):
        """Returns {tier: (probabilities, decision)}, each picture by what was fitted on the other folds' owners."""
        folds = numpy.array(assign_folds(self.rows, fold_count=FOLD_COUNT))
        fitted = [self.fit(folds != fold) for fold in range(FOLD_COUNT)]
        decision = {name: numpy.array([fitted[fold][name] for fold in folds]) for name in BOUNDS}
        lines = numpy.array([fitted[fold]["line"] for fold in folds])
        return {tier.name: (to_probability(lines[:, 0] * self.scores[tier.name] + lines[:, 1]), decision) for tier in TIERS}

    def decide(self, fitted):
        """Returns {tier: (probabilities, decision)} by one line and its bounds."""
        slope, intercept = fitted["line"]
        decision = {name: fitted[name] for name in BOUNDS}
        return {tier.name: (to_probability(slope * self.scores[tier.name] + intercept), decision) for tier in TIERS}


def bound_owners(probabilities, owners, risk):
    """Returns the threshold that the next owner's share exceeds the risk of by expectation at most; n owners promise 1 / (n + 1) at best."""
    return choose_conformal_threshold(probabilities, owners, max(risk, 1 / (len(set(owners)) + 1)))


def wilson(share, count):
    centre, spread = share + Z_95**2 / (2 * count), Z_95 * math.sqrt(share * (1 - share) / count + Z_95**2 / (4 * count**2))
    return tuple(min(1.0, max(0.0, (centre + side * spread) / (1 + Z_95**2 / count))) for side in (-1, 1))
