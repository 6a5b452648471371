"""Owns the scores of crops: patches by the appliance's rule, mean of their logits."""

import numpy
import torch

from placement import ALIGN_PX, PATCH_COUNT_MAX, PATCH_SIDE, place_patches
from splits import training_folder
from tiers import apply_tier
from train import CHECKPOINT_FILE, describe, make_network, to_tensor

BATCH_SIZE = 32


def load_network(work_folder, folds, kind):
    """Returns (the averaged network, ready to score; what the checkpoint says of its training)."""
    path = training_folder(work_folder, folds, kind) / CHECKPOINT_FILE
    if not path.exists():
        raise SystemExit(f"{path} is missing: run train.py --network {kind} --folds {','.join(map(str, folds))} first")
    state = torch.load(path, map_location="cpu")
    network = make_network(kind, work_folder)
    network.load_state_dict(state["average"])
    network.eval().to(memory_format=torch.channels_last)
    return network, {**describe(state), "earlier": state.get("earlier", [])}


def cut_views(pixels, count_max=PATCH_COUNT_MAX):
    """Returns the patches of one crop; a crop smaller than a patch is one view of its own size."""
    height, width = pixels.shape[:2]
    if min(height, width) >= PATCH_SIDE:
        return [
            pixels[top : top + PATCH_SIDE, left : left + PATCH_SIDE]
            for left, top in place_patches(width, height, count_max=count_max)
        ]
    return [pixels[: height // ALIGN_PX * ALIGN_PX, : width // ALIGN_PX * ALIGN_PX]]


@torch.no_grad()
def score_views(network, views):
    """Returns one logit per view; views of one shape share a batch."""
    logits = numpy.empty(len(views))
    by_shape = {}
    for index, view in enumerate(views):
        by_shape.setdefault(view.shape, []).append(index)
    for indices in by_shape.values():
        for start in range(0, len(indices), BATCH_SIZE):
            batch = indices[start : start + BATCH_SIZE]
            pixels = to_tensor(numpy.stack([views[index] for index in batch]))
            logits[batch] = network(pixels).numpy()
    return logits


def cut_tier_views(collection, crops, tier):
    """Returns (the patches of the crops in one tier, the index of each patch's crop)."""
    views, owners = [], []
    for index, crop in enumerate(crops):
        cut = cut_views(apply_tier(tier, crop, collection.read(crop)))
        views.extend(cut)
        owners.extend([index] * len(cut))
    return views, owners


def score_tier(network, collection, crops, tier):
    """Returns the mean logit of each crop in one tier."""
    views, owners = cut_tier_views(collection, crops, tier)
    return numpy.bincount(owners, score_views(network, views), len(crops)) / numpy.bincount(owners)


def weigh(sources, is_artificial):
    """Each picture weighs 1/sqrt(size of its source); both labels weigh the same in all."""
    _, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = 1 / numpy.sqrt(sizes[inverse])
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights
