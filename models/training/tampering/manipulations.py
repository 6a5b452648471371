"""Owns the manipulations: each takes a picture, a region and a generator, and returns the edited picture.

A manipulation changes the region and a feathered edge of a few pixels, nothing else.
"""

import math

import numpy
from PIL import Image, ImageFilter

from histories import KERNELS, age, change_colours, encode_jpeg_between, filter_pixels, scale_by, to_bytes
from masks import feather, to_box

CHANGE_MIN_LEVELS = 1.0
"""An edit that changes its region by less than this mean absolute difference is not there to be found."""

MOVE_MIN_PX = 12
FILL_LEVEL_COUNT = 6


def blend(pixels, part, opacity):
    """Lays `part` over the picture. Both uint8 or float [H, W, 3]; opacity float [H, W, 1]."""
    return to_bytes(pixels * (1 - opacity) + part * opacity)


def match_colours(part, pixels, mask):
    """Moves the part's mean and spread per channel towards the picture around it, as a careful forger does."""
    inside = part[mask].astype(numpy.float32)
    outside = pixels[~mask].astype(numpy.float32)
    spread = numpy.clip(outside.std(axis=0) / (inside.std(axis=0) + 4), 0.7, 1.3)
    shift = 0.7 * (outside.mean(axis=0) - inside.mean(axis=0))
    return to_bytes((part - inside.mean(axis=0)) * spread + inside.mean(axis=0) + shift)


def place_over(pixels, donor, mask, rng):
    """Returns a canvas with a random window of the donor under the region; the donor's grid falls where it falls."""
    top, bottom, left, right = to_box(mask)
    height, width = min(bottom - top, donor.shape[0]), min(right - left, donor.shape[1])
    y = int(rng.integers(0, donor.shape[0] - height + 1))
    x = int(rng.integers(0, donor.shape[1] - width + 1))
    canvas = pixels.copy()
    canvas[top : top + height, left : left + width] = donor[y : y + height, x : x + width]
    return canvas


def splice(pixels, mask, donor, rng):
    """Pastes from another picture, which had a life of its own."""
    part = place_over(pixels, age(transform(donor, rng), rng), mask, rng)
    if rng.random() < 0.5:
        part = match_colours(part, pixels, mask)
    return blend(pixels, part, feather(mask, rng))


def transform(donor, rng):
    """Scales, turns or mirrors what is pasted, half of the time."""
    if rng.random() < 0.25:
        donor = scale_by(donor, math.exp(rng.uniform(-0.25, 0.4)), KERNELS[int(rng.integers(len(KERNELS)))])
    if rng.random() < 0.2:
        kernel = Image.Resampling.BICUBIC
        side = min(donor.shape[:2])
        turned = Image.fromarray(donor).rotate(rng.uniform(-25, 25), kernel)
        inset = round(side * 0.17)
        donor = numpy.asarray(turned)[inset : donor.shape[0] - inset, inset : donor.shape[1] - inset]
    return donor[:, ::-1] if rng.random() < 0.3 else donor


def find_shift(mask, rng):
    """Returns (dy, dx) by which the region moves to its source, inside the picture and away from itself."""
    top, bottom, left, right = to_box(mask)
    height, width = mask.shape
    for _ in range(20):
        dy = int(rng.integers(-top, height - bottom + 1))
        dx = int(rng.integers(-left, width - right + 1))
        if abs(dy) + abs(dx) >= MOVE_MIN_PX:
            return dy, dx
    return (-top, -left) if top + left >= height - bottom + width - right else (height - bottom, width - right)


def shift_to(pixels, mask, rng):
    dy, dx = find_shift(mask, rng)
    return numpy.roll(pixels, (-dy, -dx), axis=(0, 1))


def move_copy(pixels, mask, donor, rng):
    """Repeats another part of the same picture, as it is, or scaled, turned and toned."""
    if rng.random() < 0.5:
        part = shift_to(pixels, mask, rng)
    else:
        part = place_over(pixels, transform(pixels, rng), mask, rng)
    if rng.random() < 0.3:
        part = change_colours(part, rng, 0.5)
    return blend(pixels, part, feather(mask, rng))


def fill_smoothly(values, mask):
    """Continues float32 [H, W, C] into the region from its surroundings, coarse to fine (a push-pull fill)."""
    weights = (~mask).astype(numpy.float32)[:, :, None]
    levels = [(values * weights, weights)]
    for _ in range(FILL_LEVEL_COUNT):
        levels.append(tuple(shrink(plane) for plane in levels[-1]))
    total, weight = levels[-1]
    filled = total / numpy.maximum(weight, 1e-6)
    for total, weight in reversed(levels[:-1]):
        grown = grow(filled, weight.shape)
        share = numpy.minimum(weight, 1)
        filled = share * (total / numpy.maximum(weight, 1e-6)) + (1 - share) * grown
    return filled


def shrink(plane):
    height, width = plane.shape[:2]
    padded = numpy.pad(plane, ((0, height % 2), (0, width % 2), (0, 0)))
    return (padded[::2, ::2] + padded[1::2, ::2] + padded[::2, 1::2] + padded[1::2, 1::2]) / 4


def grow(plane, shape):
    """Doubles a plane linearly, to `shape`."""
    size = (shape[1], shape[0])
    channels = [
        numpy.asarray(Image.fromarray(plane[:, :, index]).resize(size, Image.Resampling.BILINEAR))
        for index in range(plane.shape[2])
    ]
    return numpy.stack(channels, axis=2)


def remove(pixels, mask, donor, rng):
    """Takes an object away: by smooth continuation, with or without grain, or by healing from a neighbouring part."""
    values = pixels.astype(numpy.float32)
    if rng.random() < 0.4:
        part = fill_smoothly(values, mask)
        if rng.random() < 0.6:
            part = part + rng.normal(0, rng.uniform(0.7, 4), values.shape)
    else:
        source = shift_to(values, mask, rng)
        part = source + fill_smoothly(values - source, mask)
    return blend(values, part, feather(mask, rng))


def retouch(pixels, mask, donor, rng):
    """Blurs, roughens, resamples, recompresses or tones a region."""
    choice = int(rng.integers(5))
    if choice <= 1:
        part = filter_pixels(pixels, rng)
    elif choice == 2:
        part = resample(pixels, rng)
    elif choice == 3:
        part = encode_jpeg_between(pixels, (30, 80), rng)
    else:
        part = blur_strongly(pixels, rng)
    return blend(pixels, part, feather(mask, rng))


def resample(pixels, rng):
    """Shrinks and grows again: detail is lost, and neighbours depend on each other."""
    height, width = pixels.shape[:2]
    kernel = KERNELS[int(rng.integers(len(KERNELS)))]
    small = scale_by(pixels, rng.uniform(0.35, 0.85), kernel)
    return numpy.asarray(Image.fromarray(small).resize((width, height), kernel))


def blur_strongly(pixels, rng):
    return numpy.asarray(Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(rng.uniform(1.5, 4))))


MANIPULATIONS = {"splice": splice, "copy-move": move_copy, "removal": remove, "retouch": retouch}
KINDS = tuple(MANIPULATIONS)


def is_visible(before, after, mask):
    """Whether the edit changed its region at all: blurring a clear sky leaves nothing to find."""
    change = numpy.abs(after[mask].astype(numpy.int16) - before[mask]).mean()
    return bool(change >= CHANGE_MIN_LEVELS)
