"""Owns what the figures say fold by fold, family by family and source by source."""

import csv
import re
import sys
from pathlib import Path

import numpy

from scoring import weigh
from splits import FOLD_COUNT

sys.path.append(str(Path(__file__).parent.parent))
from metrics import to_auc, to_interval  # noqa: E402

SOURCE_SIZE_MIN = 3
KINDS_FILE = Path(__file__).parent / "kinds.tsv"
INTERVAL_REPLICATES = 1_000


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
            "missedInterval": measure_share(probabilities[own] < 0.5, collection.sources[own])[1],
            "calledArtificialCautious": float(called[own].mean()),
        })
    return rows


def read_kinds(path=KINDS_FILE):
    """Returns (compiled pattern, kind, is English) in the order of the file; the first that matches counts."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [(re.compile(row["pattern"]), row["kind"], row["language"]) for row in rows]


def to_kind_of(source, kinds):
    return next((kind, language) for pattern, kind, language in kinds if pattern.search(source))


def measure_share(called, sources, seed=1):
    """Returns the share of clips that is called, and its 95 % interval over sources drawn again."""
    names, inverse = numpy.unique(sources, return_inverse=True)
    totals = numpy.bincount(inverse, called.astype(float)), numpy.bincount(inverse)
    draws = numpy.random.default_rng(seed).integers(len(names), size=(INTERVAL_REPLICATES, len(names)))
    return float(called.mean()), to_interval(totals[0][draws].sum(axis=1) / totals[1][draws].sum(axis=1))


def to_kind_rows(collection, probabilities, called):
    """Returns one row per kind of human recording and per group of languages: how often it is accused."""
    found = [to_kind_of(row["source"], KINDS) if row["label"] == "human" else ("", "") for row in collection.rows]
    rows = []
    for column in (0, 1):
        values = numpy.array([pair[column] for pair in found])
        for kind in sorted(set(values) - {""}):
            own = values == kind
            mask = own | collection.is_artificial
            share, interval = measure_share(probabilities[own] >= 0.5, collection.sources[own])
            rows.append({
                "kind": kind, "clips": int(own.sum()), "sources": len(set(collection.sources[own])),
                "falseAlarms": share, "interval": interval, "cautious": float(called[own].mean()),
                "auc": to_auc(
                    probabilities[mask], collection.is_artificial[mask],
                    weigh(collection.sources[mask], collection.is_artificial[mask]),
                ),
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


KINDS = read_kinds()
