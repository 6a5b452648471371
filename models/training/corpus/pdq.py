"""Owns the perceptual hash of a picture: PDQ, as the appliance computes it (src/worker/steps/perceptual-hash.ts)."""

import numpy as np

SIDE = 64
FREQUENCIES = 16
REDUCED_SIDE = 512
FILTER_PASSES = 2
QUALITY_SCALE = 90
NEAR_BITS = 31
"""Pictures whose hashes differ by as many bits or fewer are near duplicates: the bound that PDQ's authors give."""

_COSINES = np.sqrt(2 / SIDE) * np.cos(
    np.pi / (2 * SIDE) * np.arange(1, FREQUENCIES + 1)[:, None] * (2 * np.arange(SIDE)[None] + 1)
)
_MIRROR = np.where(np.arange(FREQUENCIES) % 2 == 0, -1.0, 1.0)


def hash_picture(rgb):
    """Returns (hash, mirrored hash, quality 0 to 100) of uint8 RGB (height, width, 3): 64 hexadecimal digits each."""
    small = _reduce(_to_luma(rgb))
    frequencies = _COSINES @ small @ _COSINES.T
    return _to_digits(frequencies), _to_digits(frequencies * _MIRROR), _measure_quality(small)


def _to_luma(rgb):
    height, width = rgb.shape[:2]
    block = max(1, min(height, width) // REDUCED_SIDE)
    rows, columns = height // block, width // block
    luma = rgb[: rows * block, : columns * block].astype(np.float32) @ np.float32([0.299, 0.587, 0.114])
    return luma.reshape(rows, block, columns, block).mean(axis=(1, 3)) if block > 1 else luma


def _reduce(luma):
    for _ in range(FILTER_PASSES):
        luma = _filter(_filter(luma, 1), 0)
    rows = ((np.arange(SIDE) + 0.5) * luma.shape[0] / SIDE).astype(int)
    columns = ((np.arange(SIDE) + 0.5) * luma.shape[1] / SIDE).astype(int)
    return luma[np.ix_(rows, columns)].astype(np.float64)


def _filter(values, axis):
    """A moving mean along an axis; at the ends over those that are there."""
    length = values.shape[axis]
    window = -(-length // (2 * SIDE))
    ahead = (window + 2) // 2
    sums = np.concatenate([np.zeros_like(values.take([0], axis), dtype=np.float64), values.cumsum(axis, dtype=np.float64)], axis)
    places = np.arange(length)
    stop = np.minimum(places + ahead, length)
    start = np.maximum(places + ahead - window, 0)
    size = (stop - start).reshape((-1, 1) if axis == 0 else (1, -1))
    return (sums.take(stop, axis) - sums.take(start, axis)) / size


def _measure_quality(small):
    steps = sum(np.abs(np.trunc(np.diff(small, axis=axis) * 100 / 255)).sum() for axis in (0, 1))
    return int(min(100, steps // QUALITY_SCALE))


def _to_digits(frequencies):
    values = frequencies.astype(np.float32).ravel()
    median = np.sort(values)[values.size // 2 - 1]
    bits = (values > median).astype(np.uint8)[::-1]
    return np.packbits(bits).tobytes().hex()
