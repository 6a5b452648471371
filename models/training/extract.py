"""Stage 3: computes the statistics and the textures of every crop once, as variants to learn from and in every tier.

One file per part, each written by rename: a stopped run goes on with the parts
that are missing.
"""

import argparse
from pathlib import Path

import numpy
import torch

from augment import make_patch
from crops import CropCollection
from inception import TEXTURE_TAPS, Textures
from patch_statistics import PatchStatistics
from scoring import cut_tier_views, cut_views
from tiers import CONFOUNDS, ONE_FORMAT, TIERS, apply_tier
from train import to_tensor

KINDS = ("statistics", "textures")
VARIANT_SIDES = (0, 128, 96, 64)
"""Per crop: its first patch as JPEG 90 (0), then augmented patches of these sides.

No crop is learnt from as found: the regression then leant on who had never been a
JPEG, and its AUC fell by 0.05 when all were re-encoded alike.
"""
BATCH_SIZE = 16


def make_extractor(kind, work_folder):
    return PatchStatistics() if kind == "statistics" else Textures(work_folder, TEXTURE_TAPS)


def part_path(work_folder, kind, name):
    return work_folder / kind / f"{name}.npz"


def cut_first(crop, pixels):
    return cut_views(apply_tier(ONE_FORMAT, crop, pixels))[0]


def make_variants(collection, seed):
    """Returns (patches, index of the crop of each)."""
    patches, owners = [], []
    for index, crop in enumerate(collection.crops):
        pixels = collection.read(crop)
        for number, side in enumerate(VARIANT_SIDES):
            rng = numpy.random.default_rng((seed, index, number))
            patches.append(make_patch(pixels, crop.was_jpeg, side, rng) if side else cut_first(crop, pixels))
            owners.append(index)
    return patches, owners


@torch.no_grad()
def compute(extractor, views):
    """Returns float32 [views, F]; views of one shape share a batch."""
    features = [None] * len(views)
    by_shape = {}
    for index, view in enumerate(views):
        by_shape.setdefault(view.shape, []).append(index)
    for indices in by_shape.values():
        for start in range(0, len(indices), BATCH_SIZE):
            batch = indices[start : start + BATCH_SIZE]
            computed = extractor(to_tensor(numpy.stack([views[index] for index in batch])).contiguous()).numpy()
            for index, row in zip(batch, computed):
                features[index] = row
    return numpy.stack(features)


def extract(work_folder, kind, seed):
    collection = CropCollection(work_folder)
    (work_folder / kind).mkdir(exist_ok=True)
    extractor = make_extractor(kind, work_folder).eval()
    makers = {"variants": lambda: make_variants(collection, seed)}
    for tier in (*TIERS, *CONFOUNDS):
        makers[tier.name] = lambda tier=tier: cut_tier_views(collection, collection.crops, tier)
    for name, make in makers.items():
        path = part_path(work_folder, kind, name)
        if path.exists():
            continue
        views, owners = make()
        features = compute(extractor, views)
        temporary = path.with_suffix(".tmp.npz")
        numpy.savez(temporary, features=features, owners=numpy.array(owners))
        temporary.rename(path)
        print(f"{kind}, {name}: {features.shape[0]} patches, {features.shape[1]} values", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    torch.set_num_threads(1)
    arguments = parser.parse_args()
    for kind in KINDS:
        extract(arguments.work, kind, arguments.seed)
