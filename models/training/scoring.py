"""Owns the scores of crops: patches by the appliance's rule, mean of their logits."""

from dataclasses import dataclass

import numpy
import torch

from crops import CropCollection
from network import ResidualNetwork
from placement import ALIGN_PX, PATCH_SIDE, place_patches
from tiers import apply_tier, to_scale
from train import CHECKPOINT_FILE, to_tensor

BATCH_SIZE = 32


@dataclass
class Scores:
    """Parallel arrays over the pictures of one tier."""

    crops: list
    logits: numpy.ndarray
    is_artificial: numpy.ndarray
    weights: numpy.ndarray
    sources: numpy.ndarray
    held_share: float
    below_patch_share: float


def load_network(work_folder):
    """Returns (the averaged network, ready to score; what the checkpoint says of its training)."""
    state = torch.load(work_folder / CHECKPOINT_FILE, map_location="cpu")
    network = ResidualNetwork()
    network.load_state_dict(state["average"])
    network.eval().to(memory_format=torch.channels_last)
    return network, {key: state[key] for key in ("step", "elapsed_s", "crop_count")}


def cut_views(pixels):
    """Returns the patches of one crop; a crop smaller than a patch is one view of its own size."""
    height, width = pixels.shape[:2]
    if min(height, width) >= PATCH_SIDE:
        return [
            pixels[top : top + PATCH_SIDE, left : left + PATCH_SIDE]
            for left, top in place_patches(width, height)
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


def score_tier(network, collection, fold, tier):
    """Scores every crop of a fold in one tier."""
    crops = collection.in_folds((fold,))
    views, owners, small_count = [], [], 0
    for index, crop in enumerate(crops):
        pixels = apply_tier(tier, crop, collection.read(crop))
        small_count += min(pixels.shape[:2]) < PATCH_SIDE
        cut = cut_views(pixels)
        views.extend(cut)
        owners.extend([index] * len(cut))
    sums = numpy.bincount(owners, score_views(network, views), len(crops))
    sources = numpy.array([f"{crop.label}/{crop.source}" for crop in crops])
    is_artificial = numpy.array([crop.is_artificial for crop in crops])
    return Scores(
        crops=crops, logits=sums / numpy.bincount(owners, minlength=len(crops)),
        is_artificial=is_artificial, weights=weigh(sources, is_artificial), sources=sources,
        held_share=float(numpy.mean([to_scale(tier, crop)[1] for crop in crops])),
        below_patch_share=small_count / len(crops),
    )


def weigh(sources, is_artificial):
    """Each picture weighs 1/sqrt(size of its source); both labels weigh the same in all."""
    _, inverse, sizes = numpy.unique(sources, return_inverse=True, return_counts=True)
    weights = 1 / numpy.sqrt(sizes[inverse])
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights


def load_all(work_folder):
    network, trained = load_network(work_folder)
    return network, trained, CropCollection(work_folder)
