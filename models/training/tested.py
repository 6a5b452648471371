"""Owns what the rounds say of every crop in its test fold: calibrated log-odds, per detector and fused."""

import numpy

from fusion import fit_decision, fuse, to_log_odds
from outcome import DETECTORS, QUALITY_TIER_NAMES, TIER_NAMES, take_part
from splits import ALL_FOLDS, ROUNDS

DECISION_NAMES = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")


def fit_round(outcome, collection, round_):
    part = take_part(collection, (round_.calibration,))
    tiers = [outcome.read(round_.test, tier, part) for tier in QUALITY_TIER_NAMES]
    return fit_decision(tiers, part.is_artificial, part.weights)


class Tested:
    """The log-odds of every crop in every tier as its round states them, fused and per detector."""

    def __init__(self, outcome, collection):
        self.part = take_part(collection, ALL_FOLDS)
        self.crops = [collection.crops[index] for index in self.part.indices]
        self.folds = numpy.array([crop.fold for crop in self.crops])
        count = len(self.crops)
        self.decision = {name: numpy.empty(count) for name in DECISION_NAMES}
        self.fused = {tier: numpy.empty(count) for tier in TIER_NAMES}
        self.single = {tier: numpy.empty((count, len(DETECTORS))) for tier in TIER_NAMES}
        self.rounds = {}
        for round_ in ROUNDS:
            fitted = self.rounds[round_.test] = fit_round(outcome, collection, round_)
            rows = self.folds == round_.test
            for name in DECISION_NAMES:
                self.decision[name][rows] = fitted[name]
            for tier in TIER_NAMES:
                logits = outcome.read(round_.test, tier, self.part)[rows]
                log_odds = to_log_odds(logits, fitted["lines"])
                self.single[tier][rows] = log_odds
                self.fused[tier][rows] = fuse(log_odds, numpy.array(fitted["weights"]))
