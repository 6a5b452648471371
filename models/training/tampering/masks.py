"""Owns the shapes of manipulated regions: blobs, polygons and rectangles. Every choice comes from the generator."""

import math

import numpy
from PIL import Image, ImageDraw, ImageFilter

AREA_SHARE_MIN = 0.02
AREA_SHARE_MAX = 0.3
CENTRE_MIN = 0.28
CENTRE_MAX = 0.72
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


def draw_mask(side_px, rng):
    """Returns a region, bool [side, side], of about AREA_SHARE_MIN to AREA_SHARE_MAX of the square, near its middle."""
    share = math.exp(rng.uniform(math.log(AREA_SHARE_MIN), math.log(AREA_SHARE_MAX)))
    centre = rng.uniform(CENTRE_MIN, CENTRE_MAX, 2) * side_px
    aspect = math.exp(rng.normal(0, 0.3))
    image = Image.new("L", (side_px, side_px))
    shape = SHAPES[rng.choice(len(SHAPES), p=SHAPE_RATES)]
    if shape == "rectangle":
        half = math.sqrt(share) * side_px / 2
        reach = numpy.array([half * aspect, half / aspect])
        ImageDraw.Draw(image).rectangle([*(centre - reach), *(centre + reach)], fill=INSIDE)
    else:
        angles, radii = to_radii(shape, rng)
        reach = math.sqrt(share / math.pi) * side_px * radii
        xs = centre[0] + reach * numpy.cos(angles) * aspect
        ys = centre[1] + reach * numpy.sin(angles) / aspect
        ImageDraw.Draw(image).polygon(list(zip(xs, ys)), fill=INSIDE)
    return numpy.asarray(image) > 0


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
