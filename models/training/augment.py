"""Owns the making of one training patch from one crop.

Both classes go through the same histories of scaling, colour and
re-encoding, because file format and compression are confounds: human crops
are nearly all JPEG, artificial ones often lossless. Every choice comes from the
generator that is passed in, so that a step can be repeated exactly.
"""

import io
import math

import numpy
from PIL import Image

KERNELS = (
    Image.Resampling.BILINEAR,
    Image.Resampling.BICUBIC,
    Image.Resampling.LANCZOS,
    Image.Resampling.HAMMING,
    Image.Resampling.BOX,
)
SUBSAMPLINGS = (0, 1, 2, 2)
"""Pillow's codes: 0 is 4:4:4, 1 is 4:2:2, 2 is 4:2:0, the most common."""

GRID_PX = 8
MARGIN_PX = 16
SCALE_MAX = 1.2
SCALE_MIN_BY_PATCH_SIDE = {48: 0.34, 64: 0.45, 96: 0.67, 128: 0.9}
"""Small enough that the smallest crops (144 px) still fill the patch: a limit per
class would tell the classes apart by scale."""

NEVER_JPEG_PRIOR_RATE = 0.7
REENCODE_RATE = 0.88
TWICE_RATE = 0.2
WEBP_RATE = 0.12
RESIZE_RATE = 0.45
JITTER_RATE = 0.35
GREY_RATE = 0.05
OFF_GRID_RATE = 0.25


def encode_jpeg(image, quality, subsampling):
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality, subsampling=subsampling)
    return Image.open(buffer).convert("RGB")


def encode_webp(image, quality):
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=quality, method=1)
    return Image.open(buffer).convert("RGB")


def reencode(image, rng):
    quality = int(rng.integers(30, 96))
    if rng.random() < WEBP_RATE:
        return encode_webp(image, quality)
    return encode_jpeg(image, quality, int(rng.choice(SUBSAMPLINGS)))


def jitter_colours(image, rng):
    """Changes gain, offset and gamma of each channel by a table, without touching detail."""
    levels = numpy.arange(256) / 255
    common_gamma = math.exp(rng.normal(0, 0.15))
    common_gain = math.exp(rng.normal(0, 0.12))
    table = []
    for _ in range(3):
        curve = levels ** (common_gamma * math.exp(rng.normal(0, 0.04)))
        curve = curve * common_gain * math.exp(rng.normal(0, 0.03)) + rng.normal(0, 0.02)
        table.extend(numpy.clip(numpy.rint(curve * 255), 0, 255).astype(int).tolist())
    return image.point(table)


def choose_offset(extent_px, rng, on_grid):
    """Returns an offset in 0..extent_px, a multiple of the JPEG block when on_grid."""
    if on_grid:
        return int(rng.integers(0, extent_px // GRID_PX + 1)) * GRID_PX
    return int(rng.integers(0, extent_px + 1))


def cut(image, side_px, rng, on_grid):
    """Cuts a square of at most side_px at a random place."""
    width, height = image.size
    side_x, side_y = min(side_px, width), min(side_px, height)
    left = choose_offset(width - side_x, rng, on_grid)
    top = choose_offset(height - side_y, rng, on_grid)
    return image.crop((left, top, left + side_x, top + side_y))


def choose_scale(rng, patch_side, short_side_px):
    if rng.random() >= RESIZE_RATE:
        return 1.0
    lowest = max(SCALE_MIN_BY_PATCH_SIDE[patch_side], patch_side / short_side_px)
    return math.exp(rng.uniform(math.log(lowest), math.log(SCALE_MAX))) if lowest < SCALE_MAX else 1.0


def make_past(image, was_jpeg, rng):
    """Returns the picture as it may have been before anyone scaled or sent it: encoded once, in other colours, or grey."""
    if not was_jpeg and rng.random() < NEVER_JPEG_PRIOR_RATE:
        image = encode_jpeg(image, int(rng.integers(75, 99)), int(rng.choice(SUBSAMPLINGS)))
    if rng.random() < JITTER_RATE:
        image = jitter_colours(image, rng)
    if rng.random() < GREY_RATE:
        image = image.convert("L").convert("RGB")
    return image


def make_patch(pixels, was_jpeg, patch_side, rng):
    """Returns one augmented patch, uint8 [patch_side, patch_side, 3]."""
    scale = choose_scale(rng, patch_side, min(pixels.shape[:2]))
    region_side = math.ceil(patch_side / scale) + MARGIN_PX
    image = cut(Image.fromarray(pixels), region_side, rng, rng.random() >= OFF_GRID_RATE)
    image = make_past(image, was_jpeg, rng)
    if scale != 1.0:
        size = [max(patch_side, round(side * scale)) for side in image.size]
        image = image.resize(size, KERNELS[int(rng.integers(len(KERNELS)))])
    if rng.random() < REENCODE_RATE:
        image = reencode(image, rng)
        if rng.random() < TWICE_RATE:
            image = reencode(cut(image, max(patch_side, min(image.size) - 3), rng, False), rng)
    image = cut(image, patch_side, rng, rng.random() >= OFF_GRID_RATE)
    return turn(fill(numpy.asarray(image), patch_side), rng)


def fill(pixels, side_px):
    """Mirrors the borders of a picture smaller than the patch."""
    height, width = pixels.shape[:2]
    if height >= side_px and width >= side_px:
        return pixels
    missing = ((0, max(0, side_px - height)), (0, max(0, side_px - width)), (0, 0))
    return numpy.pad(pixels, missing, mode="symmetric")


def turn(pixels, rng):
    """Applies one of the eight symmetries of the square; block grids survive all of them."""
    choice = int(rng.integers(8))
    if choice & 1:
        pixels = pixels[:, ::-1]
    if choice & 2:
        pixels = pixels[::-1]
    if choice & 4:
        pixels = pixels.transpose(1, 0, 2)
    return pixels
