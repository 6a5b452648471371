"""Owns the tests of confounds: what re-making all clips alike changes, and what is left where a clue is the same."""

import sys
from pathlib import Path

import numpy

from scoring import CONFOUND_TIERS, weigh

sys.path.append(str(Path(__file__).parent.parent))
from metrics import bootstrap, to_auc, to_interval, to_probability  # noqa: E402

CHANGE_REPLICATES = 1_000


def measure_change(collection, before, after, members=None, seed=1):
    """Returns the paired change of AUC with its 95 % interval over sources."""
    members = numpy.arange(len(collection.rows)) if members is None else members
    is_artificial, sources = collection.is_artificial[members], collection.sources[members]
    weights = weigh(sources, is_artificial)
    names, inverse = numpy.unique(sources, return_inverse=True)
    label_of = numpy.zeros(len(names), dtype=bool)
    label_of[inverse] = is_artificial
    rng = numpy.random.default_rng(seed)
    changes = []
    for _ in range(CHANGE_REPLICATES):
        multiplicity = numpy.zeros(len(names))
        for label in (False, True):
            own = numpy.nonzero(label_of == label)[0]
            multiplicity += numpy.bincount(rng.choice(own, len(own)), minlength=len(names))
        drawn = weights * multiplicity[inverse]
        changes.append(to_auc(after[members], is_artificial, drawn) - to_auc(before[members], is_artificial, drawn))
    change = to_auc(after[members], is_artificial, weights) - to_auc(before[members], is_artificial, weights)
    low, high = numpy.percentile(changes, (2.5, 97.5))
    return {"change": change, "low": float(low), "high": float(high)}


def measure_pairs(collection, log_odds, seed=1):
    """How often the artificial one of a pair scores higher: of the same sentence, and of the same speaker.

    Pairs of one sentence or speaker count as one; the interval draws these again. Style, text and language are equal
    within a pair, so nothing of them helps here.
    """
    result = {}
    for column in ("group", "speaker"):
        names = numpy.array([row[column] for row in collection.rows])
        shares = []
        for name in sorted(set(names) - {""}):
            human, artificial = (log_odds[(names == name) & (collection.is_artificial == label)] for label in (False, True))
            if len(human) > 0 and len(artificial) > 0:
                difference = artificial[:, None] - human[None, :]
                shares.append(float((difference > 0).mean() + (difference == 0).mean() / 2))
        drawn = numpy.random.default_rng(seed).choice(shares, (CHANGE_REPLICATES, len(shares))).mean(axis=1)
        result[column] = {"pairs": len(shares), "share": float(numpy.mean(shares)), "interval": to_interval(drawn)}
    return result


def measure_subset(collection, probabilities, mask):
    """Returns the AUC of some clips, weighed anew, with an interval over sources."""
    is_artificial, sources = collection.is_artificial[mask], collection.sources[mask]
    weights = weigh(sources, is_artificial)
    decision = {"cautiousThreshold": 0.9, "inconclusiveLow": 0.4, "inconclusiveHigh": 0.6}
    low, high = bootstrap(probabilities[mask], is_artificial, weights, sources, decision)["auc"]
    return {
        "auc": to_auc(probabilities[mask], is_artificial, weights), "low": low, "high": high,
        "human": int((~is_artificial).sum()), "artificial": int(is_artificial.sum()),
    }


def measure_changes(collection, log_odds):
    """What re-making all clips alike changes."""
    return {
        tier.name: {"description": tier.description, **measure_change(collection, log_odds["clean"], log_odds[tier.name])}
        for tier in CONFOUND_TIERS
    }


def measure_subsets(collection, clean):
    """The AUC where the label cannot be told by the original rate."""
    rates = numpy.array([row["original_rate"] for row in collection.rows])
    return {
        f"original rate {rate} Hz": measure_subset(collection, to_probability(clean), rates == rate)
        for rate in ("16000", "22050", "24000")
        if len(set(collection.is_artificial[rates == rate])) == 2
    }
