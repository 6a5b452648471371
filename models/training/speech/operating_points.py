"""Owns calibration and bounds of the pack, chosen on owners that a network had left out, and the figures that follow.

What is decided of an owner comes from the other owners: five folds of them. Of both collections alike: on the corpus alone, which
is mostly of developers' microphones, studios were accused (a fifth of them by `balanced`).
"""

import hashlib
import sys
from pathlib import Path

import numpy

from calibration import fit_calibration, to_log_odds, to_rounded
from conformal import choose_conformal_threshold, to_bound
from recorded import TIERS

sys.path.append(str(Path(__file__).parent.parent))
from decisions import choose_band  # noqa: E402
from metrics import bootstrap, measure, to_probability  # noqa: E402
from weights import weigh  # noqa: E402

FOLD_COUNT = 5
CAUTIOUS_RISK_MAX = 0.01
BALANCED_RISK_MAX = 0.08
PERCENT = 100
SHORT_BELOW_SECONDS = 2.0
"""With less speech the bounds of little speech hold."""
NARROW_BELOW_DB = -50.0
"""Sound over the telephone tier lies below -54 dB, 95 of 100 sounds as found above -43."""
BOUNDS = ("cautiousThreshold", "inconclusiveLow", "inconclusiveHigh")
ROUNDING = 5e-7
GROUP_FILES_MIN = 3


class Corpus:
    """Rows, a file in a tier each, with the logits of networks that had left the owner out."""

    def __init__(self, recorded, logits, bands, languages):
        """`logits`, `bands` (decibels) and `languages`: one a row; a row without a logit is dropped."""
        kept = numpy.nonzero(numpy.isfinite(logits) & (recorded.tiers < len(TIERS)))[0]
        self.logits, self.bands, self.languages = logits[kept], bands[kept], languages[kept]
        self.is_artificial, self.sources, self.owners = recorded.is_artificial[kept], recorded.sources[kept], recorded.owners[kept]
        self.tiers, self.seconds, self.files = recorded.tiers[kept], recorded.seconds[kept], [recorded.files[index] for index in kept]
        self.folds = numpy.array([to_fold(owner) for owner in self.owners])
        self.kinds = numpy.array([to_kind(file, source) for file, source in zip(self.files, self.sources)])

    def weigh(self, members):
        return weigh(self.owners[members], self.is_artificial[members])


def to_fold(owner):
    """The SHA-256 of the name decides; the two labels of one owner lie in one fold."""
    return hashlib.sha256(f"voices:{owner.split('/', 1)[1]}".encode()).digest()[0] % FOLD_COUNT


def to_kind(file, source):
    if not file.startswith("audio/"):
        return "at hand"
    return "developers" if "/mic-" in source or "/code-" in source else "demonstrations and test files"


class Fit:
    """A calibration and bounds, from some of the rows."""

    def __init__(self, corpus, members):
        self.calibration = fit_calibration(corpus.logits[members], corpus.is_artificial[members], corpus.weigh(members))
        probabilities, seconds = self.score(corpus, members), corpus.seconds[members]
        self.bounds = choose_bounds(probabilities, corpus, members)
        short = seconds < SHORT_BELOW_SECONDS
        self.short_bounds = widen(choose_bounds(probabilities[short], corpus, members[short]), self.bounds)
        narrow = ~short & (corpus.bands[members] < NARROW_BELOW_DB)
        self.narrow_bounds = {**self.bounds, "cautiousThreshold": choose_narrow(probabilities[narrow], corpus, members[narrow], self.bounds)}

    def score(self, corpus, members):
        return to_probability(to_log_odds(corpus.logits[members], self.calibration))

    def bounds_of(self, corpus, members):
        """Returns {bound: per row} as the appliance applies them: those of little speech before those of a narrow band."""
        short, narrow = corpus.seconds[members] < SHORT_BELOW_SECONDS, corpus.bands[members] < NARROW_BELOW_DB
        return {name: numpy.where(short, self.short_bounds[name], numpy.where(narrow, self.narrow_bounds[name], self.bounds[name])) for name in BOUNDS}


def choose_bounds(probabilities, corpus, members):
    """Returns the bounds of model.json: `cautious` and `balanced` keep their promise for the next owner, in each tier."""
    labels, owners, tiers = (part[members] for part in (corpus.is_artificial, corpus.owners, corpus.tiers))

    def of_tiers(risk):
        kept = [~labels & (tiers == tier) for tier in numpy.unique(tiers)]
        return max(choose_threshold(probabilities[one], owners[one], risk) for one in kept if one.any())

    low, high = choose_band(probabilities, labels, corpus.weigh(members))
    high = max(high, numpy.ceil(of_tiers(BALANCED_RISK_MAX) * PERCENT) / PERCENT)
    cautious = max(of_tiers(CAUTIOUS_RISK_MAX), high)
    return to_rounded({"cautiousThreshold": cautious + ROUNDING, "inconclusiveLow": low, "inconclusiveHigh": min(high, 0.99)})


def choose_threshold(probabilities, owners, risk):
    """Some four fifths of the owners are too few to promise 1 %: what is left out then stands above all of them."""
    return choose_conformal_threshold(probabilities, owners, max(risk, 1 / (len(set(owners)) + 1)))


def choose_narrow(probabilities, corpus, members, usual):
    """Returns the threshold of `cautious` for narrow sound. `balanced` gets none: what it accuses there is within its promise as it is."""
    human = ~corpus.is_artificial[members]
    chosen = choose_threshold(probabilities[human], corpus.owners[members][human], CAUTIOUS_RISK_MAX)
    return to_rounded({"at": max(chosen + ROUNDING, usual["inconclusiveHigh"])})["at"]


def widen(short, usual):
    """Little speech never has narrower bounds than much of it."""
    return {
        "cautiousThreshold": max(short["cautiousThreshold"], usual["cautiousThreshold"]),
        "inconclusiveLow": min(short["inconclusiveLow"], usual["inconclusiveLow"]),
        "inconclusiveHigh": max(short["inconclusiveHigh"], usual["inconclusiveHigh"]),
    }


def decide_left_out(corpus):
    """Returns (probabilities, {bound: per row}), each row by the owners of the other folds."""
    count = len(corpus.files)
    probabilities, bounds = numpy.empty(count), {name: numpy.empty(count) for name in BOUNDS}
    for fold in range(FOLD_COUNT):
        fit, own = Fit(corpus, numpy.nonzero(corpus.folds != fold)[0]), numpy.nonzero(corpus.folds == fold)[0]
        probabilities[own] = fit.score(corpus, own)
        for name, values in fit.bounds_of(corpus, own).items():
            bounds[name][own] = values
    return probabilities, bounds


def measure_rows(corpus, rows, probabilities, bounds):
    """Returns {clips, sources, owners, figures, intervals, conformal, recallBalanced, languages, kinds} of some rows; intervals over owners."""
    decision, own, labels, shares = {name: values[rows] for name, values in bounds.items()}, probabilities[rows], corpus.is_artificial[rows], corpus.weigh(rows)
    return {
        "sources": len(set(corpus.sources[rows])), "clips": len(rows),
        "owners": [len(set(corpus.owners[rows][labels == side])) for side in (False, True)],
        "figures": measure(own, labels, shares, decision),
        "intervals": bootstrap(own, labels, shares, corpus.owners[rows], decision),
        "conformal": to_bound((own >= decision["cautiousThreshold"])[~labels], corpus.owners[rows][~labels]),
        "recallBalanced": float(numpy.average((own >= decision["inconclusiveHigh"])[labels], weights=shares[labels])),
        "languages": measure_groups(corpus.languages[rows], labels, shares, corpus.owners[rows], own, decision),
        "kinds": measure_groups(corpus.kinds[rows], labels, shares, corpus.owners[rows], own, decision),
    }


def measure_groups(groups, labels, shares, owners, probabilities, decision):
    """Returns {group: {owners, files, even, balanced, cautious}}: shares of its human files that are accused."""
    found, limits = {}, {"even": numpy.full(len(labels), 0.5), "balanced": decision["inconclusiveHigh"], "cautious": decision["cautiousThreshold"]}
    for group in sorted(set(groups)):
        kept = ~labels & (groups == group)
        if kept.sum() >= GROUP_FILES_MIN:
            accused = {name: float(numpy.average((probabilities >= limit)[kept], weights=shares[kept])) for name, limit in limits.items()}
            found[str(group)] = {"owners": len(set(owners[kept])), "files": int(kept.sum()), **accused}
    return found
