"""Owns what is decided from scores: calibration of pictures and cells, thresholds, the inconclusive band. Pure."""

from dataclasses import dataclass

import numpy

from metrics import find_threshold, fit_platt, to_probability

CAUTIOUS_FALSE_ALARM_RATE = 0.01
CELL_THRESHOLDS = numpy.arange(0.2, 0.96, 0.05)
CELL_SAMPLE_MAX = 400_000
BAND_TARGET = 0.8
BAND_HIGHS = numpy.arange(0.52, 0.96, 0.02)
COVERAGE_MIN = 0.5
HALF = 0.5


@dataclass
class Scores:
    """Rows of scores.npz. `truth` is the edited share of each cell; logits are raw."""

    folds: numpy.ndarray
    sources: numpy.ndarray
    kinds: numpy.ndarray
    qualities: numpy.ndarray
    truth: numpy.ndarray
    logits: numpy.ndarray
    cells: numpy.ndarray
    trust: numpy.ndarray

    @property
    def is_edited(self):
        return self.kinds != "authentic"

    def take(self, rows):
        return Scores(**{name: values[rows] for name, values in vars(self).items()})


@dataclass(frozen=True)
class Decision:
    """(slope, intercept) of pictures and of cells; probabilities from which a cell or a picture is called edited.

    `prior` is what the place of a cell in the tile adds to its logit, [R, S]: cells at the border have fewer
    neighbours, and a map of many tiles would show where they meet.
    """

    line: tuple
    prior: list
    cell_line: tuple
    cell_threshold: float
    cautious_threshold: float
    low: float
    high: float

    def to_log_odds(self, logits):
        return logits * self.line[0] + self.line[1]

    def to_cells(self, cells):
        return to_probability((cells - numpy.array(self.prior)) * self.cell_line[0] + self.cell_line[1])


def fit_prior(scores):
    """Returns the mean logit of each place over authentic samples, less the mean of all; alike in all four corners."""
    mean = scores.cells[~scores.is_edited].mean(axis=0)
    mean = (mean + mean[::-1] + mean[:, ::-1] + mean[::-1, ::-1]) / 4
    return (mean - mean.mean()).round(4)


def fit_cell_line(scores, prior, seed=1):
    """Calibrates cells against whether more than half of them was edited, at even prior odds, as all else is."""
    rng = numpy.random.default_rng(seed)
    logits, edited = (scores.cells - prior).ravel(), scores.truth.ravel() >= HALF
    chosen = rng.choice(len(logits), min(CELL_SAMPLE_MAX, len(logits)), replace=False)
    edited = edited[chosen]
    slope, intercept = fit_platt(logits[chosen], edited, numpy.ones(len(chosen)))
    # Fitted at the rate at which cells are edited: weights that even the classes out make Newton's method run away.
    rate = edited.mean()
    return slope, intercept - float(numpy.log(rate / (1 - rate)))


def to_overlap(called, truth):
    """Pixel F1 of each picture, in cells of 8x8: [N, R, S] of bool."""
    shared = (called & truth).sum(axis=(1, 2))
    total = called.sum(axis=(1, 2)) + truth.sum(axis=(1, 2))
    return 2 * shared / numpy.maximum(1, total)


def choose_cell_threshold(probabilities, truth):
    """Returns the threshold of the best mean F1 over edited pictures."""
    means = [to_overlap(probabilities >= threshold, truth).mean() for threshold in CELL_THRESHOLDS]
    return float(CELL_THRESHOLDS[int(numpy.argmax(means))])


def choose_band(probabilities, is_edited):
    """Returns (low, high), symmetric about a half: the narrowest band outside of which the balanced accuracy
    reaches the target, but never so wide that more than half of the pictures fall inside."""
    best = (0.48, 0.52)
    for high in BAND_HIGHS:
        decided = (probabilities < 1 - high) | (probabilities > high)
        if decided.mean() < COVERAGE_MIN or not (is_edited[decided].any() and (~is_edited[decided]).any()):
            break
        best = (round(1 - float(high), 2), round(float(high), 2))
        called = probabilities[decided] >= HALF
        recall = called[is_edited[decided]].mean()
        passed = (~called[~is_edited[decided]]).mean()
        if (recall + passed) / 2 >= BAND_TARGET:
            break
    return best


def fit_decision(scores):
    """Returns everything the appliance needs, from scores of left-out samples."""
    is_edited, ones = scores.is_edited, numpy.ones(len(scores.logits))
    line = fit_platt(scores.logits, is_edited, ones)
    prior = fit_prior(scores)
    cell_line = fit_cell_line(scores, prior)
    probabilities = to_probability(scores.logits * line[0] + line[1])
    cells = to_probability((scores.cells[is_edited] - prior) * cell_line[0] + cell_line[1])
    threshold = find_threshold(probabilities, is_edited, ones, CAUTIOUS_FALSE_ALARM_RATE)
    low, high = choose_band(probabilities, is_edited)
    return Decision(
        line, prior.astype(float).tolist(), cell_line, choose_cell_threshold(cells, scores.truth[is_edited] >= HALF), threshold, low, high
    )
