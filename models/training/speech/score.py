"""Stage 3: scores every clip in every tier by the model that left its fold out."""

import argparse
import os
from pathlib import Path

import numpy
import torch

from clips import ClipCollection
from figures import to_scores_file
from packs import PACKS, load_network
from scoring import CONFOUND_TIERS, TIERS, average_windows, score_clips
from splits import FOLD_COUNT
from statistics_extract import BANK_FOLDER
from statistics_model import load_member, measure_band


def score_network(work, collection, tier):
    scores = numpy.empty((len(collection.rows), 3))
    for fold in range(FOLD_COUNT):
        network, _ = load_network(work, fold)
        members = collection.in_fold(fold)
        scores[members] = score_clips(network, collection, members, tier)
    return scores


@torch.no_grad()
def score_statistics(work, collection, tier):
    with numpy.load(work / BANK_FOLDER / f"tier-{tier.name}.npz") as bank:
        rows, owners = torch.from_numpy(bank["rows"]), bank["owners"]
    logits = numpy.empty(len(owners))
    for fold in range(FOLD_COUNT):
        mask = collection.folds[owners] == fold
        logits[mask] = load_member(work, fold)(rows[torch.from_numpy(mask)]).numpy()
    return average_windows(logits, measure_band(rows).numpy(), owners, len(collection.rows))


def run(work, keys):
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    collection = ClipCollection(work)
    for key in keys:
        score = score_network if key == "network" else score_statistics
        scores = {tier.name: score(work, collection, tier) for tier in (*TIERS, *CONFOUND_TIERS)}
        temporary = work / f"scores-{key}.tmp.npz"
        numpy.savez(temporary, **scores)
        os.replace(temporary, to_scores_file(work, key))
        print(f"{key}: {len(collection.rows)} clips in {len(scores)} tiers", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--pack", choices=[*PACKS], action="append")
    arguments = parser.parse_args()
    run(arguments.work, arguments.pack or [*PACKS])
