"""Owns where patches lie in a picture; the appliance follows the same rule, digit by digit."""

import math

PATCH_SIDE = 128
ALIGN_PX = 8
PATCH_COUNT_MAX = 16
INCEPTION_COUNT_MAX = 8
"""A patch costs this network three times what it costs the others, and a video has many frames."""


def clamp_count(extent_px, side_px, wanted):
    return max(1, min(math.ceil(extent_px / side_px), wanted))


def place_axis(extent_px, side_px, align_px, count):
    """Returns `count` offsets spread evenly over 0..extent-side, each moved down to the grid."""
    free = extent_px - side_px
    exact = [free / 2] if count == 1 else [index * free / (count - 1) for index in range(count)]
    return [math.floor(offset / align_px) * align_px for offset in exact]


def place_patches(width, height, side_px=PATCH_SIDE, align_px=ALIGN_PX, count_max=PATCH_COUNT_MAX):
    """Returns (left, top) of each patch, row by row; the picture must be at least one patch wide and high."""
    columns = clamp_count(width, side_px, math.floor(math.sqrt(count_max * width / height)))
    rows = clamp_count(height, side_px, count_max // columns)
    columns = clamp_count(width, side_px, count_max // rows)
    lefts = place_axis(width, side_px, align_px, columns)
    tops = place_axis(height, side_px, align_px, rows)
    return [(left, top) for top in tops for left in lefts]
