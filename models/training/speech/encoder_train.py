"""Stage 4: fits the lines over the encoder's statistics, one set per left-out fold and one on all clips.

Each clip stands in four versions: as found, MP3, telephone, and through a voice codec. Every version is heard with
the windows that the appliance would place. The spread of each layer's left-out scores scales its line, also in the
set fitted on all clips.
"""

import argparse
from pathlib import Path

import numpy

from clips import ClipCollection
from encoder_graph import FEATURE_COUNT
from encoder_heads import fit_heads
from heard import load_heard
from lines import Heads
from scoring import TIERS, VOICE_TIER, weigh
from splits import FOLD_COUNT

TRAINED_TIERS = (*TIERS, VOICE_TIER)
HEADS_FILE = "encoder-heads.npz"
ALL = "all"


class Bank:
    """The windows of every version of every clip."""

    def __init__(self, work):
        heard = [load_heard(work, f"encoder-{tier.name}", FEATURE_COUNT) for tier in TRAINED_TIERS]
        self.rows = numpy.concatenate([part.rows for part in heard])
        self.owners = numpy.concatenate([part.owners for part in heard])
        self.versions = numpy.repeat(numpy.arange(len(heard)), [len(part.owners) for part in heard])
        self.tier_rows = {tier.name: numpy.nonzero(self.versions == number)[0] for number, tier in enumerate(TRAINED_TIERS)}


def to_shares(collection, bank, kept):
    """A source weighs by the root of its clips, versions of a clip alike, windows of a version alike."""
    clips = numpy.unique(bank.owners[kept])
    of_clip = numpy.zeros(len(collection.rows))
    of_clip[clips] = weigh(collection.sources[clips], collection.is_artificial[clips])
    version = bank.owners * len(TRAINED_TIERS) + bank.versions
    sizes = numpy.bincount(version[kept], minlength=version.max() + 1)
    return of_clip[bank.owners[kept]] / sizes[version[kept]]


def fit_without(collection, bank, fold):
    members = numpy.zeros(len(collection.rows), dtype=bool)
    members[collection.in_training(fold)] = True
    kept = numpy.nonzero(members[bank.owners])[0]
    return fit_heads(bank.rows[kept], collection.is_artificial[bank.owners[kept]], to_shares(collection, bank, kept))


def measure_deviations(collection, bank, heads):
    """Returns the spread of each layer's left-out scores."""
    scores = numpy.concatenate([
        heads[fold].score_layers(bank.rows[collection.folds[bank.owners] == fold]) for fold in range(FOLD_COUNT)
    ])
    return scores.std(axis=0)


def train(work):
    collection, bank = ClipCollection(work, ("clean",)), Bank(work)
    heads = {}
    for fold in (*range(FOLD_COUNT), None):
        heads[ALL if fold is None else fold] = fit_without(collection, bank, fold)
        print(f"without fold {fold}", flush=True)
    deviations = measure_deviations(collection, bank, heads)
    save({key: part.scaled_by(deviations) for key, part in heads.items()}, work / HEADS_FILE)
    print("deviations of the layers", deviations.round(2))


def save(heads, path):
    parts = {f"{key}-{name}": value for key, own in heads.items() for name, value in vars(own).items()}
    temporary = path.with_suffix(".tmp.npz")
    numpy.savez(temporary, **parts)
    temporary.rename(path)


def load_heads(work):
    """Returns {fold or ALL: Heads}."""
    with numpy.load(work / HEADS_FILE) as stored:
        names = ("means", "scales", "weights", "biases")
        return {key: Heads(*(stored[f"{key}-{name}"] for name in names)) for key in (*range(FOLD_COUNT), ALL)}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    train(parser.parse_args().work)
