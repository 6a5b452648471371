"""Says what more sources bring: `python3 curve.py --heard DIR --data DIR` fits the lines with shares of the corpus' owners.

Whoever is measured is left out; of the others a share is kept, by the hash of their names.
"""

import argparse
import hashlib
from pathlib import Path

import numpy

from corpus_fit import FOLD_COUNT, LAYERS, Standard, describe, fit_heads, read_rows, score_layers, to_folds

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def to_chance(owner):
    return hashlib.sha256(f"curve:{owner}".encode()).digest()[0] / 256


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    rows, usable = read_rows(options.heard, options.data)
    standard = Standard(rows, numpy.nonzero(usable)[0])
    averaged, folds = rows.heard.average(standard.apply(rows.heard.windows)), to_folds(rows)
    chances = numpy.array([to_chance(owner) for owner in rows.owners])
    for share in SHARES:
        kept = usable & (~rows.is_corpus | (chances < share))
        scores = numpy.zeros((len(rows.sources), len(LAYERS)))
        for fold in range(FOLD_COUNT):
            heads = fit_heads(rows, standard, averaged, numpy.nonzero(kept & (folds != fold))[0])
            scores[folds == fold] = score_layers(heads, averaged[folds == fold])
        logits = (scores / scores.std(axis=0)).mean(axis=1)
        count = len(set(rows.sources[kept & rows.is_corpus]))
        describe(rows, logits, usable & rows.is_corpus, f"{count} sources of the corpus in training")


if __name__ == "__main__":
    main()
