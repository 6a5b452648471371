"""Stage 4: scores the left-out folds of every round with every detector, in every tier.

Needs the trainings that ROUNDS names. The regressions of statistics and textures
are fitted here, once per round, since that takes seconds.
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from crops import CropCollection
from extract import KINDS, part_path
from linear import fit_head
from outcome import NETWORKS, OUTCOME_FILE, TRAININGS_FILE
from scoring import load_network, score_tier, weigh
from splits import ALL_FOLDS, ROUNDS, training_folder
from tiers import CONFOUNDS, TIERS


def fit_regression(work_folder, collection, kind, folds):
    """Returns the regression of statistics or textures on the variants of the crops of some folds."""
    with numpy.load(part_path(work_folder, kind, "variants")) as stored:
        features, owners = stored["features"], stored["owners"]
    crops = [collection.crops[owner] for owner in owners]
    rows = numpy.array([crop.fold in folds for crop in crops])
    sources = numpy.array([f"{crop.label}/{crop.source}" for crop in crops])[rows]
    is_artificial = numpy.array([crop.is_artificial for crop in crops])[rows]
    return fit_head(features[rows], is_artificial, weigh(sources, is_artificial))


@torch.no_grad()
def score_regression(head, work_folder, kind, tier, crop_count):
    """Returns each crop's mean logit over its patches."""
    with numpy.load(part_path(work_folder, kind, tier.name)) as stored:
        features, owners = stored["features"], stored["owners"]
    logits = head(torch.from_numpy(features)).numpy()
    return numpy.bincount(owners, logits, crop_count) / numpy.bincount(owners, minlength=crop_count)


def score_network(work_folder, collection, kind, folds, wanted):
    """Returns ({tier: logits of all crops}, the training); crops outside of the wanted folds are NaN."""
    network, trained = load_network(work_folder, folds, kind)
    logits = {}
    for tier in (*TIERS, *CONFOUNDS):
        logits[tier.name] = numpy.full(len(collection.crops), numpy.nan)
        for fold in wanted:
            rows = [index for index, crop in enumerate(collection.crops) if crop.fold == fold]
            path = training_folder(work_folder, folds, kind) / f"logits-step{trained['step']}-{tier.name}-{fold}.npy"
            if not path.exists():
                numpy.save(path, score_tier(network, collection, [collection.crops[index] for index in rows], tier))
            logits[tier.name][rows] = numpy.load(path)
    return logits, trained


def validate(work_folder):
    collection = CropCollection(work_folder)
    stored, trainings = {}, {kind: {} for kind in NETWORKS}
    for round_ in ROUNDS:
        wanted = (round_.calibration, round_.test)
        for kind in NETWORKS:
            logits, trained = score_network(work_folder, collection, kind, round_.network, wanted)
            stored.update({f"{round_.test}/{name}/{kind}": values for name, values in logits.items()})
            trainings[kind][str(round_.test)] = trained
            print(f"fold {round_.test} scored by the {kind} of {trained['crop_count']:,} patches", flush=True)
        for kind in KINDS:
            head = fit_regression(work_folder, collection, kind, round_.train)
            for tier in (*TIERS, *CONFOUNDS):
                logits = score_regression(head, work_folder, kind, tier, len(collection.crops))
                stored[f"{round_.test}/{tier.name}/{kind}"] = logits
    trainings["residual"]["final"] = load_network(work_folder, ALL_FOLDS, "residual")[1]
    temporary = work_folder / f"tmp-{OUTCOME_FILE}"
    numpy.savez(temporary, **stored)
    temporary.rename(work_folder / OUTCOME_FILE)
    (work_folder / TRAININGS_FILE).write_text(json.dumps(trainings, indent=2), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    torch.set_num_threads(1)
    validate(parser.parse_args().work)
