"""Owns where patches lie in a picture; the appliance follows the same rule, digit by digit."""

import math

import numpy

PATCH_SIDE = 128
ALIGN_PX = 8
PATCH_COUNT_MAX = 24
CANDIDATE_COUNT_MAX = 196
CANDIDATE_STEP = 64
"""Pixels between candidates at least: half a patch, so that a small cut moves what is looked at by little (places.py)."""
DETAIL_SHARE_MIN = 0.25
"""Of the detail of the most detailed place: where there is less, sky, wall or blur begins."""
LUMA_THOUSANDTHS = numpy.array([299, 587, 114], dtype=numpy.int64)


def clamp_count(extent_px, side_px, step_px, wanted):
    """Without a step, so many places that patches lie side by side; with one, that they lie a step apart."""
    most = math.ceil(extent_px / side_px) if step_px is None else math.ceil((extent_px - side_px) / step_px) + 1
    return max(1, min(most, wanted))


def place_axis(extent_px, side_px, align_px, count):
    """Returns at most `count` offsets spread evenly over 0..extent-side, each moved down to the grid."""
    free = extent_px - side_px
    exact = [free / 2] if count == 1 else [index * free / (count - 1) for index in range(count)]
    return list(dict.fromkeys(math.floor(offset / align_px) * align_px for offset in exact))


def place_patches(width, height, side_px=PATCH_SIDE, align_px=ALIGN_PX, count_max=PATCH_COUNT_MAX, step_px=None):
    """Returns (left, top) of each patch, row by row; the picture must be at least one patch wide and high."""
    columns = clamp_count(width, side_px, step_px, math.floor(math.sqrt(count_max * width / height)))
    rows = clamp_count(height, side_px, step_px, count_max // columns)
    columns = clamp_count(width, side_px, step_px, count_max // rows)
    lefts = place_axis(width, side_px, align_px, columns)
    tops = place_axis(height, side_px, align_px, rows)
    return [(left, top) for top in tops for left in lefts]


def measure_detail(patch):
    """Returns the sum of the steps in brightness between neighbouring pixels of uint8 [H, W, 3], a whole number."""
    luma = patch.astype(numpy.int64) @ LUMA_THOUSANDTHS
    return int(numpy.abs(numpy.diff(luma, axis=0)).sum() + numpy.abs(numpy.diff(luma, axis=1)).sum())


def choose_by_detail(candidates, details, count_max=PATCH_COUNT_MAX, share_min=DETAIL_SHARE_MIN):
    """Returns the candidates with the most detail, in their order."""
    most = max(details)
    rich = [index for index, detail in enumerate(details) if detail >= share_min * most]
    chosen = set(sorted(rich, key=lambda index: (-details[index], index))[:count_max])
    return [candidate for index, candidate in enumerate(candidates) if index in chosen]


def choose_patches(pixels, count_max=PATCH_COUNT_MAX):
    """Returns (left, top) of the patches that the models look at in uint8 [H, W, 3]."""
    height, width = pixels.shape[:2]
    candidates = place_patches(width, height, count_max=CANDIDATE_COUNT_MAX, step_px=CANDIDATE_STEP)
    details = [measure_detail(cut_patch(pixels, place)) for place in candidates]
    return choose_by_detail(candidates, details, count_max)


def cut_patch(pixels, place):
    left, top = place
    return pixels[top : top + PATCH_SIDE, left : left + PATCH_SIDE]
