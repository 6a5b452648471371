"""A training patch is repeatable, of the asked size, and blind to the label."""

import inspect
import unittest

import numpy

from augment import SCALE_MIN_BY_PATCH_SIDE, make_patch


class MakePatch(unittest.TestCase):
    def test_size_and_repetition(self):
        pixels = numpy.random.default_rng(1).integers(0, 256, (144, 192, 3), dtype=numpy.uint8)
        for side in SCALE_MIN_BY_PATCH_SIDE:
            for seed in range(40):
                with self.subTest(side=side, seed=seed):
                    first = make_patch(pixels, seed % 2 == 0, side, numpy.random.default_rng(seed))
                    again = make_patch(pixels, seed % 2 == 0, side, numpy.random.default_rng(seed))
                    self.assertEqual(first.shape, (side, side, 3))
                    self.assertTrue(numpy.array_equal(first, again))

    def test_small_crops_are_filled(self):
        pixels = numpy.zeros((100, 97, 3), dtype=numpy.uint8)
        patch = make_patch(pixels, True, 128, numpy.random.default_rng(3))
        self.assertEqual(patch.shape, (128, 128, 3))

    def test_the_label_is_not_among_its_inputs(self):
        names = set(inspect.signature(make_patch).parameters)
        self.assertEqual(names, {"pixels", "was_jpeg", "patch_side", "rng"})


if __name__ == "__main__":
    unittest.main()
