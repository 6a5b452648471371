"""Owns which faces belong together: families, kinds of fakes, and folds.

A pair (a frame and the same frame with another face) is one family, and so
are collections that show the same pictures before and after, and all swaps to the same
person: a network that knows faces would recognise the person, not the swap.
"""

import csv
import hashlib
import re
from collections import defaultdict
from pathlib import Path

FOLD_COUNT = 5
FOLDS = tuple(range(1, FOLD_COUNT + 1))
KINDS_FILE = Path(__file__).parent / "kinds.tsv"
FAMILIES_FILE = Path(__file__).parent / "families.tsv"


def read_patterns(path):
    """Returns (compiled pattern, name) pairs in the order of the file."""
    with open(path, newline="", encoding="utf-8") as stream:
        return [(re.compile(pattern), name) for pattern, name in list(csv.reader(stream, delimiter="\t"))[1:]]


def find_name(source, patterns, other):
    return next((name for pattern, name in patterns if pattern.search(source)), other)


def assign_folds(entries, seed=1):
    """Maps each portrait source to a fold, its family whole.

    The largest family goes first, to the fold with the smallest share of its
    label; equal ones are ordered by a seeded hash.
    """
    families = read_patterns(FAMILIES_FILE)

    def to_family(source):
        return find_name(source, families, source)

    sizes = defaultdict(lambda: defaultdict(int))
    for entry in entries:
        sizes[to_family(entry["source"])][entry["label"]] += 1

    def order(family):
        return (-sum(sizes[family].values()), hashlib.sha256(f"{seed}:{family}".encode()).hexdigest())

    totals = defaultdict(float)
    for by_label in sizes.values():
        for label, size in by_label.items():
            totals[label] += size
    loads = [defaultdict(float) for _ in FOLDS]
    fold_of = {}
    for family in sorted(sizes, key=order):
        chosen = min(range(FOLD_COUNT), key=lambda index: sum(
            loads[index][label] / totals[label] * size for label, size in sizes[family].items()
        ) + 1e-9 * sum(loads[index].values()))
        fold_of[family] = chosen + 1
        for label, size in sizes[family].items():
            loads[chosen][label] += size
    return {entry["source"]: fold_of[to_family(entry["source"])] for entry in entries}
