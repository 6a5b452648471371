"""Owns the split of a collection of clips into folds.

Every source lies in exactly one fold. Rows that share a speaker or a group
(one sentence, spoken and synthesised) may still lie in two: sources are paired
by them all over, one connected lump holds half of the clips. So whoever trains
without a fold also leaves out every clip that shares a speaker or a group with
one of it: to_training_mask. The assignment is searched so that this costs few.
"""

import csv
import hashlib
import re
from pathlib import Path

import numpy

FOLD_COUNT = 5
SEARCH_STEPS = 12_000
TEMPERATURES = (3.0, 0.02)
BALANCE_WEIGHT = 60.0
FAMILIES_FILE = Path(__file__).parent / "families.tsv"


def read_families(path=FAMILIES_FILE):
    """Returns (compiled pattern, family) pairs in the order of the file."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = csv.DictReader(stream, delimiter="\t")
        return [(re.compile(row["pattern"]), row["family"]) for row in rows]


def to_unit(source, families):
    """Returns what is never split: the family of sources of one site, else the source."""
    for pattern, family in families:
        if pattern.search(source):
            return family
    return source


def index_names(names):
    """Maps names to numbers; an empty name is nobody's, -1."""
    known = {name: index for index, name in enumerate(sorted({name for name in names if name}))}
    return numpy.array([known.get(name, -1) for name in names])


class Ties:
    """Which rows share a speaker or a group."""

    def __init__(self, rows):
        self.keys = [index_names([row[column] for row in rows]) for column in ("speaker", "group")]

    def touched_by(self, members):
        """Returns the mask of rows that are members or share a speaker or a group with one."""
        touched = members.copy()
        for key in self.keys:
            shared = numpy.zeros(key.max() + 2, dtype=bool)
            shared[key[members]] = True
            shared[-1] = False
            touched |= shared[key]
        return touched


def to_training_mask(ties, folds, fold):
    """Returns the rows that may be trained on when a fold is left out."""
    return ~ties.touched_by(folds == fold)


class Search:
    """Simulated annealing over assignments of units to folds."""

    def __init__(self, rows, families):
        self.ties = Ties(rows)
        units = [f"{row['label']}/{to_unit(row['source'], families)}" for row in rows]
        self.names = sorted(set(units))
        self.unit_of_row = index_names(units)
        columns = [f"{row['label']}/{row['family'] or 'recording'}" for row in rows]
        sources = {(row["label"], row["source"]): unit for row, unit in zip(rows, self.unit_of_row)}
        self.loads = numpy.zeros((len(self.names), len(set(columns)) + 2))
        numpy.add.at(self.loads, (self.unit_of_row, index_names(columns)), 1)
        for (label, _), unit in sources.items():
            self.loads[unit, -1 if label == "human" else -2] += 1
        self.loads /= self.loads.sum(axis=0)

    def to_cost(self, fold_of_unit):
        folds = fold_of_unit[self.unit_of_row]
        lost = sum(
            int((self.ties.touched_by(folds == fold) & (folds != fold)).sum())
            for fold in range(FOLD_COUNT)
        )
        shares = numpy.stack([self.loads[fold_of_unit == fold].sum(axis=0) for fold in range(FOLD_COUNT)])
        return lost + BALANCE_WEIGHT * len(folds) / 100 * float(((shares - 1 / FOLD_COUNT) ** 2).sum())

    def start(self, seed):
        digests = [hashlib.sha256(f"{seed}:{name}".encode()).digest()[0] for name in self.names]
        return numpy.array([digest % FOLD_COUNT for digest in digests])

    def run(self, seed):
        rng = numpy.random.default_rng(seed)
        best = current = self.start(seed)
        cost = best_cost = self.to_cost(current)
        for step in range(SEARCH_STEPS):
            heat = TEMPERATURES[0] * (TEMPERATURES[1] / TEMPERATURES[0]) ** (step / SEARCH_STEPS)
            moved = current.copy()
            moved[rng.integers(len(moved))] = rng.integers(FOLD_COUNT)
            moved_cost = self.to_cost(moved)
            if moved_cost < cost or rng.random() < numpy.exp((cost - moved_cost) / heat):
                current, cost = moved, moved_cost
                if cost < best_cost:
                    best, best_cost = current, cost
        return best[self.unit_of_row]


def assign_folds(rows, families, seed=1):
    """Returns one fold, 0..FOLD_COUNT - 1, per row; depends on the rows and the seed alone."""
    return Search(rows, families).run(seed)
