"""Owns what the figures say fold by fold, family by family and source by source."""

import sys
from pathlib import Path

import numpy

from scoring import weigh
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_auc  # noqa: E402

SOURCE_SIZE_MIN = 3


def measure_folds(collection, probabilities):
    rows = []
    for fold in range(FOLD_COUNT):
        members = collection.in_fold(fold)
        is_artificial = collection.is_artificial[members]
        rows.append(to_auc(probabilities[members], is_artificial, weigh(collection.sources[members], is_artificial)))
    return rows


def to_family_rows(collection, probabilities, called):
    """Returns one row per family of systems: its AUC against all human clips, and how often it is called."""
    families = numpy.array([row["family"] for row in collection.rows])
    human = ~collection.is_artificial
    rows = []
    for family in sorted(set(families[collection.is_artificial])):
        own = collection.is_artificial & (families == family)
        mask = own | human
        rows.append({
            "family": family, "clips": int(own.sum()), "systems": len(set(collection.sources[own])),
            "auc": to_auc(
                probabilities[mask], collection.is_artificial[mask],
                weigh(collection.sources[mask], collection.is_artificial[mask]),
            ),
            "calledArtificial": float((probabilities[own] >= 0.5).mean()),
            "calledArtificialCautious": float(called[own].mean()),
        })
    return rows


def to_source_rows(collection, probabilities, called):
    rows = []
    for source in sorted(set(collection.sources)):
        mask = collection.sources == source
        first = collection.rows[int(numpy.nonzero(mask)[0][0])]
        rows.append({
            "label": first["label"], "source": first["source"], "family": first["family"], "clips": int(mask.sum()),
            "calledArtificial": float((probabilities[mask] >= 0.5).mean()),
            "calledArtificialCautious": float(called[mask].mean()),
            "meanProbability": float(probabilities[mask].mean()),
        })
    return rows


def find_worst(rows, label, count=3):
    """Returns the sources of a label, of at least SOURCE_SIZE_MIN clips, that are told worst."""
    candidates = [row for row in rows if row["label"] == label and row["clips"] >= SOURCE_SIZE_MIN]
    sign = 1 if label == "artificial" else -1
    return sorted(candidates, key=lambda row: sign * row["meanProbability"])[:count]
