"""Owns the shapes of manipulated regions: blobs, polygons and rectangles. Every choice comes from the generator."""

import math

import numpy
from PIL import Image, ImageDraw, ImageFilter

AREA_SHARE_MIN = 0.02
AREA_SHARE_MAX = 0.3
"""What of the square a region covers, after the border has cut it."""
WHOLE_SHARE_MAX = 0.8
"""Regions larger than AREA_SHARE_MAX are left only where the border cuts them: without them cells at the border would
be edited less often than those in the middle, and a network would learn the place."""
OUTLINE_POINTS = 48
SHAPES = ("blob", "polygon", "rectangle")
SHAPE_RATES = (0.5, 0.35, 0.15)
FEATHER_MAX_PX = 2.5
FEATHER_RATE = 0.6
INSIDE = 255


def to_radii(shape, rng):
    """Returns (angles, relative radii) of an outline around its centre."""
    if shape == "polygon":
        angles = numpy.sort(rng.uniform(0, 2 * math.pi, int(rng.integers(4, 9))))
        return angles, rng.uniform(0.6, 1.3, len(angles))
    angles = numpy.arange(OUTLINE_POINTS) * 2 * math.pi / OUTLINE_POINTS
    radii = numpy.ones(OUTLINE_POINTS)
    for wave in range(2, 6):
        radii += rng.normal(0, 0.35 / wave) * numpy.cos(wave * angles + rng.uniform(0, 2 * math.pi))
    return angles, numpy.clip(radii, 0.3, 2)


def draw_outline(side_px, rng):
    """Returns the corners of a region around the origin, float [M, 2], of AREA_SHARE_MIN to WHOLE_SHARE_MAX."""
    share = math.exp(rng.uniform(math.log(AREA_SHARE_MIN), math.log(WHOLE_SHARE_MAX)))
    aspect = math.exp(rng.normal(0, 0.3))
    shape = SHAPES[rng.choice(len(SHAPES), p=SHAPE_RATES)]
    if shape == "rectangle":
        corners = numpy.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * math.sqrt(share) * side_px / 2
    else:
        angles, radii = to_radii(shape, rng)
        reach = math.sqrt(share / math.pi) * side_px * radii
        corners = numpy.stack([reach * numpy.cos(angles), reach * numpy.sin(angles)], axis=1)
    return corners * [aspect, 1 / aspect]


def draw_mask(shape, window, rng):
    """Returns a region of a picture, bool [H, W] of `shape`, AREA_SHARE_MIN to AREA_SHARE_MAX of its window.

    `window` is (top, left, side) of the square that stays in the end. The region lies anywhere in it, is cut by its
    border as often as chance has it, and goes on beyond; every pixel of the window is covered about equally often.
    """
    top, left, side = window
    while True:
        corners = draw_outline(side, rng)
        # From where it just touches the left and top border to where it just touches the right and bottom one.
        corners += rng.uniform(-corners.max(axis=0), side - corners.min(axis=0)) + (left, top)
        image = Image.new("L", shape[1::-1])
        ImageDraw.Draw(image).polygon([tuple(corner) for corner in corners], fill=INSIDE)
        mask = numpy.asarray(image) > 0
        if AREA_SHARE_MIN <= keep_window(mask, window).sum() / side**2 <= AREA_SHARE_MAX:
            return mask


def keep_window(mask, window):
    """Returns the part of the region that stays in the end, bool [H, W]."""
    top, left, side = window
    kept = numpy.zeros_like(mask)
    rows, columns = slice(round(top), round(top + side)), slice(round(left), round(left + side))
    kept[rows, columns] = mask[rows, columns]
    return kept


def feather(mask, rng):
    """Returns the opacity of the pasted part, float32 [H, W, 1] in 0..1: a hard or a soft edge."""
    image = Image.fromarray(mask.astype(numpy.uint8) * INSIDE)
    if rng.random() < FEATHER_RATE:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.4, FEATHER_MAX_PX)))
    return (numpy.asarray(image, dtype=numpy.float32) / INSIDE)[:, :, None]


def to_box(mask):
    """Returns (top, bottom, left, right) of the region, ends exclusive."""
    rows, columns = numpy.nonzero(mask.any(axis=1))[0], numpy.nonzero(mask.any(axis=0))[0]
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
