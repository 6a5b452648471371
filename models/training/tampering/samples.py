"""Owns the making of one sample: a host crop, edited or not, and the mask of the edit.

Both classes share every step but the edit. All choices come from the generator
that is passed in, so that any sample can be made again.
"""

from dataclasses import dataclass

import numpy

from histories import age, draw_export, encode_finally, export_together
from manipulations import KINDS, MANIPULATIONS, is_visible
from masks import draw_mask, keep_window

CELL_PX = 8
ATTEMPT_COUNT_MAX = 6
KIND_RATES = (0.4, 0.2, 0.2, 0.2)
AUTHENTIC = "authentic"


@dataclass(frozen=True)
class Sample:
    """pixels uint8 [S, S, 3]; mask bool [S, S]; kind; quality as `encode_finally` says."""

    pixels: numpy.ndarray
    mask: numpy.ndarray
    kind: str
    quality: int


def edit(pixels, window, donor, kind, rng):
    """Returns (edited pixels, mask). Tries other regions while the edit changes nothing in the window that stays."""
    for _ in range(ATTEMPT_COUNT_MAX):
        mask = draw_mask(pixels.shape, window, rng)
        edited = MANIPULATIONS[kind](pixels, mask, donor, rng)
        if is_visible(pixels, edited, keep_window(mask, window)):
            return edited, mask
    raise ValueError(f"{kind} changed nothing in {ATTEMPT_COUNT_MAX} regions")


def choose_kind(rng):
    return KINDS[rng.choice(len(KINDS), p=KIND_RATES)]


def make_sample(host, donor, kind, side_px, rng):
    """Makes a picture of side_px. `kind` is AUTHENTIC or one of KINDS; donor is used by splices only.

    How it is scaled and cut is drawn before the edit, so that the edit lies in what stays, anywhere in it.
    A host in which the edit shows nowhere (one flat colour) falls back to a splice.
    """
    pixels = age(host, rng)
    export = draw_export(pixels.shape, side_px, rng)
    mask = numpy.zeros(pixels.shape[:2], dtype=bool)
    if kind != AUTHENTIC:
        try:
            pixels, mask = edit(pixels, export.window, donor, kind, rng)
        except ValueError:
            kind = "splice"
            pixels, mask = edit(pixels, export.window, add_contrast(donor, rng), kind, rng)
    pixels, mask = export_together(pixels, mask, export)
    pixels, quality = encode_finally(numpy.ascontiguousarray(pixels), rng)
    return turn(Sample(pixels, mask, kind, quality), rng)


def add_contrast(donor, rng):
    """Makes sure that a fallback splice differs from its host."""
    noise = rng.normal(0, 6, donor.shape)
    return numpy.clip(255 - donor.astype(numpy.float32) + noise, 0, 255).astype(numpy.uint8)


def turn(sample, rng):
    """Applies one of the eight symmetries of the square; block grids survive all of them."""
    choice = int(rng.integers(8))
    pixels, mask = sample.pixels, sample.mask
    if choice & 1:
        pixels, mask = pixels[:, ::-1], mask[:, ::-1]
    if choice & 2:
        pixels, mask = pixels[::-1], mask[::-1]
    if choice & 4:
        pixels, mask = pixels.transpose(1, 0, 2), mask.T
    return Sample(pixels, mask, sample.kind, sample.quality)


def to_cells(mask):
    """Returns the share of each cell of CELL_PX that was edited, float32 [S / 8, S / 8]."""
    rows, columns = (extent // CELL_PX for extent in mask.shape)
    return mask.reshape(rows, CELL_PX, columns, CELL_PX).mean(axis=(1, 3), dtype=numpy.float32)
