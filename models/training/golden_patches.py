"""The patches by rule whose outputs model.json holds; the appliance makes them by the same rule (src/worker/inference/golden.ts)."""

import numpy


def make_golden_patches(count, side):
    """Returns uint8 [count, side, side, 3]."""
    y, x, channel = numpy.indices((side, side, 3))
    patches = [x * (7 + index) + y * (13 + 2 * index) + channel * 29 + ((x * y) % (11 + index)) * 5 for index in range(count)]
    return (numpy.stack(patches) % 256).astype(numpy.uint8)


def make_golden_planes(count, side):
    """Returns the same as float32 [count, 3, side, side] in 0..1."""
    return make_golden_patches(count, side).transpose(0, 3, 1, 2).astype(numpy.float32) / 255
