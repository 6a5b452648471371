"""Owns the split of a collection into folds by family of sources.

Files of one source, and sources of one family (same pipeline, site or
pictures), never straddle a split: a model that merely recognises a pipeline
would otherwise look like one that recognises artificial pictures.
"""

import csv
import hashlib
import math
import re
from collections import defaultdict
from pathlib import Path

FOLD_COUNT = 5
ALL_FOLDS = tuple(range(1, FOLD_COUNT + 1))


FAMILIES_FILE = Path(__file__).parent / "families.tsv"


def read_families(path=FAMILIES_FILE):
    """Returns (compiled pattern, family) pairs in the order of the file."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [(re.compile(row["pattern"]), row["family"]) for row in rows]


def to_family(source, families):
    """Returns the family of a source: the first pattern that matches, else the source itself."""
    for pattern, family in families:
        if pattern.search(source):
            return family
    return source


def assign_folds(sizes_by_source, families, seed=1):
    """Maps each (label, source) to a fold 1..FOLD_COUNT.

    sizes_by_source maps (label, source) to its number of files. A family
    weighs the square roots of its sources' sizes, as in training. The heaviest
    family goes to the lightest fold first; equal ones are ordered by a seeded
    hash, so that the result depends on the data and the seed alone.
    """
    weights = defaultdict(lambda: defaultdict(float))
    for (label, source), size in sizes_by_source.items():
        weights[to_family(source, families)][label] += math.sqrt(size)

    def order(family):
        digest = hashlib.sha256(f"{seed}:{family}".encode()).hexdigest()
        return (-round(sum(weights[family].values()), 6), digest)

    totals = defaultdict(float)
    for by_label in weights.values():
        for label, weight in by_label.items():
            totals[label] += weight
    loads = [defaultdict(float) for _ in range(FOLD_COUNT)]
    fold_of_family = {}
    for family in sorted(weights, key=order):
        def load_after(index):
            return sum(
                (loads[index][label] + weight) / totals[label] * weight
                for label, weight in weights[family].items()
            )
        chosen = min(range(FOLD_COUNT), key=load_after)
        fold_of_family[family] = chosen + 1
        for label, weight in weights[family].items():
            loads[chosen][label] += weight
    return {
        (label, source): fold_of_family[to_family(source, families)]
        for label, source in sizes_by_source
    }
