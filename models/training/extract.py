"""Stage 3: reads the pretrained layers' features of every crop, in several states, and of the whole pictures' patches.

Learning sees them exact; what is scored, calibrated and bounded is seen as it is shipped, computed in bytes.

Goes on where it was cut off, part by part. Learning needs each crop in states that both labels may have:
as found, as the web leaves it, and twice after a history by chance.
"""

import argparse
from functools import partial
from pathlib import Path

import numpy
import torch

from augment import fill, make_patch
from crops import CropCollection
from placement import PATCH_SIDE
from quantise import RANGE_CROP_EVERY, quantise
from stored_weights import round_weights
from tiers import TIERS, apply_tier
from vision_transformer import MARGIN_PX, WEIGHTS_FILE, VisionTransformer, extract_features
from whole import CACHES, open_patches

FEATURES_FOLDER = "features"
HISTORY_SEED = 7
HISTORY_COUNT = 2
CROPS_PER_STEP = 64
SEEN_SIDE = PATCH_SIDE - 2 * MARGIN_PX


def cut_middle(pixels):
    """Returns the middle that the layers see, in a patch whose margin they do not."""
    pixels = fill(pixels, SEEN_SIDE)
    top, left = ((side - SEEN_SIDE) // 2 for side in pixels.shape[:2])
    margin = ((MARGIN_PX, MARGIN_PX), (MARGIN_PX, MARGIN_PX), (0, 0))
    return numpy.pad(pixels[top : top + SEEN_SIDE, left : left + SEEN_SIDE], margin, mode="edge")


def make_tier_view(tier):
    return lambda collection, index, crop: cut_middle(apply_tier(tier, crop, collection.read(crop)))


def make_history_view(number):
    def make(collection, index, crop):
        rng = numpy.random.default_rng((HISTORY_SEED, number, index))
        return make_patch(collection.read(crop), crop.was_jpeg, PATCH_SIDE, rng)

    return make


CROP_PARTS = {
    **{tier.name: make_tier_view(tier) for tier in TIERS if tier.name in ("clean", "web")},
    **{f"history-{number}": make_history_view(number) for number in range(1, HISTORY_COUNT + 1)},
}


IN_BYTES = "{}-in-bytes"
"""The features of a cache's patches as the appliance computes them."""


def part_path(work_folder, part):
    return work_folder / FEATURES_FOLDER / f"{part}.npy"


def write_part(path, features):
    temporary = path.with_suffix(".tmp.npy")
    numpy.save(temporary, features)
    temporary.rename(path)


def extract_crops(transformer, collection, make_view):
    parts = []
    for start in range(0, len(collection.crops), CROPS_PER_STEP):
        crops = list(enumerate(collection.crops))[start : start + CROPS_PER_STEP]
        parts.append(extract_features(transformer, numpy.stack([make_view(collection, *crop) for crop in crops])))
    return numpy.concatenate(parts)


def open_transformer(work_folder, collection):
    """Returns the layers as they are shipped."""
    transformer = round_weights(VisionTransformer(work_folder / WEIGHTS_FILE)).eval()
    patches = numpy.stack([cut_middle(collection.read(crop)) for crop in collection.crops[::RANGE_CROP_EVERY]])
    return quantise(transformer, lambda shown: extract_features(shown, patches))


def extract(work_folder):
    (work_folder / FEATURES_FOLDER).mkdir(exist_ok=True)
    collection = CropCollection(work_folder)
    exact = VisionTransformer(work_folder / WEIGHTS_FILE).eval()
    shipped = open_transformer(work_folder, collection)

    def see(transformer, cache):
        return lambda: extract_features(transformer, open_patches(work_folder, cache))

    parts = {
        **{part: partial(extract_crops, exact, collection, make_view) for part, make_view in CROP_PARTS.items()},
        "whole": see(exact, "whole"),
        **{IN_BYTES.format(cache): see(shipped, cache) for cache in CACHES},
    }
    for part, make in parts.items():
        path = part_path(work_folder, part)
        if not path.exists():
            write_part(path, make())
            print(f"{part}: done", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    torch.set_num_threads(1)
    extract(parser.parse_args().work)
