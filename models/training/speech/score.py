"""Stage 5: scores every clip in every tier by the model that left its fold out, from what the appliance hears of it."""

import argparse
import os
from pathlib import Path

import numpy

from clips import ClipCollection
from encoder_graph import FEATURE_COUNT
from encoder_train import load_heads
from figures import Scores, to_scores_file
from heard import load_heard
from packs import PACKS
from scoring import HEARD_TIERS
from splits import FOLD_COUNT

SPEECH_SECONDS_MIN = 1.0
"""With less in the sound no pack answers."""


def read_encoder(work, collection, tier):
    """Returns what was heard, and of each window its left-out logit and how narrow its band is: not used here."""
    heard, heads = load_heard(work, f"encoder-{tier.name}", FEATURE_COUNT), load_heads(work)
    logits, folds = numpy.empty(len(heard.owners)), collection.folds[heard.owners]
    for fold in range(FOLD_COUNT):
        logits[folds == fold] = heads[fold].score(heard.rows[folds == fold])
    return heard, logits, numpy.zeros(len(logits))


def read_statistics(work, collection, tier):
    heard = load_heard(work, f"statistics-{tier.name}", FOLD_COUNT + 1)
    logits = heard.rows[numpy.arange(len(heard.owners)), collection.folds[heard.owners]]
    return heard, logits, heard.rows[:, -1]


READERS = {"encoder": read_encoder, "statistics": read_statistics}


def score_tier(work, key, collection, tier):
    """Returns [clips, 3] and the seconds of speech of each clip.

    Means over a clip's windows of the logit, of logit times narrowness, of narrowness: calibration is linear in these
    three, so that the mean of calibrated windows is the calibrated mean. Not a number where there is no answer.
    """
    heard, logits, narrowness = READERS[key](work, collection, tier)
    rows = numpy.stack([heard.average(part) for part in (logits, logits * narrowness, narrowness)], axis=1)
    rows[heard.speech_seconds < SPEECH_SECONDS_MIN] = numpy.nan
    return rows, heard.speech_seconds


def run(work):
    collection = ClipCollection(work, ("clean",))
    for key in PACKS:
        by_tier = {tier.name: score_tier(work, key, collection, tier) for tier in HEARD_TIERS}
        temporary = work / f"scores-{key}.tmp.npz"
        Scores({name: rows for name, (rows, _) in by_tier.items()}, {name: speech for name, (_, speech) in by_tier.items()}).save(temporary)
        os.replace(temporary, to_scores_file(work, key))
        answered = {name: f"{numpy.isfinite(rows[:, 0]).mean():.3f}" for name, (rows, _) in by_tier.items()}
        print(f"{key}: share of {len(collection.rows)} clips that is answered: {answered}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    run(parser.parse_args().work)
