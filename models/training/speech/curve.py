"""Says what more sources bring: `python3 curve.py --heard DIR --data DIR [--balanced]` fits the lines with some of the corpus' sources.

Who is measured is left out; the sources of the others join in the order of their owners' hashes. With --balanced the labels weigh
the same in English and in the other languages, too.
"""

import argparse
import hashlib
from pathlib import Path

import numpy

from corpus_fit import FOLD_COUNT, LAYERS, Standard, describe, fit_heads, read_rows, score_layers, to_folds, to_shares
from languages import balance_languages, describe_languages

COUNTS = (0, 25, 50, 100, None)
"""Sources of the corpus; None: all of them."""


def to_chance(owner):
    return hashlib.sha256(f"curve:{owner}".encode()).hexdigest()


def choose_sources(rows, usable, count):
    """Returns which rows are kept: the first collection, and `count` sources of the corpus."""
    owner_of = dict(zip(rows.sources[rows.is_corpus & usable].tolist(), rows.owners[rows.is_corpus & usable].tolist()))
    ordered = sorted(owner_of, key=lambda source: (to_chance(owner_of[source]), source))
    return usable & (~rows.is_corpus | numpy.isin(rows.sources, ordered[:count]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heard", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--balanced", action="store_true", help="both labels weigh the same in English and in the other languages, too")
    options = parser.parse_args()
    rows, usable = read_rows(options.heard, options.data)
    weigh_rows = balance_languages if options.balanced else to_shares
    standard = Standard(rows, numpy.nonzero(usable)[0])
    averaged, folds = rows.heard.average(standard.apply(rows.heard.windows)), to_folds(rows)
    for count in COUNTS:
        kept = choose_sources(rows, usable, count)
        scores = numpy.zeros((len(rows.sources), len(LAYERS)))
        for fold in range(FOLD_COUNT):
            members = numpy.nonzero(kept & (folds != fold))[0]
            heads = fit_heads(rows, standard, averaged, members, weights=weigh_rows(rows, members))
            scores[folds == fold] = score_layers(heads, averaged[folds == fold])
        logits = (scores / scores.std(axis=0)).mean(axis=1)
        sources = len(set(rows.sources[kept & rows.is_corpus]))
        describe(rows, logits, usable & rows.is_corpus, f"{sources} sources of the corpus in training")
        describe(rows, logits, usable & ~rows.is_corpus, "  on the first collection")
    describe_languages(rows, logits, usable)


if __name__ == "__main__":
    main()
