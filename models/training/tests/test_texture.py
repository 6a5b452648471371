"""What is refused, and that measuring agrees with the appliance's own: test/worker/texture.test.ts has the same cases."""

import unittest

import numpy

from texture import is_refused, measure_texture


class Texture(unittest.TestCase):
    def test_flat_noise_and_flat_colours_are_refused(self):
        rng = numpy.random.default_rng(1)
        chart = numpy.full((160, 160, 3), 255, numpy.uint8)
        chart[60:, 20:50] = 90
        for pixels in (numpy.full((160, 160, 3), 120, numpy.uint8), rng.integers(0, 256, (160, 160, 3), numpy.uint8), chart):
            self.assertTrue(is_refused(measure_texture(pixels[None])))

    def test_a_picture_is_judged(self):
        y, x = numpy.indices((160, 160))
        pixels = (128 + 100 * numpy.sin(x / 9) * numpy.cos(y / 7)).astype(numpy.uint8)[..., None].repeat(3, axis=2)
        self.assertFalse(is_refused(measure_texture(pixels[None])))

    def test_each_patch_is_measured_about_its_own_mean(self):
        patches = numpy.zeros((2, 128, 128, 3), numpy.uint8)
        patches[1] = 200
        self.assertEqual(measure_texture(patches), (0.0, 0.0, 1.0))


if __name__ == "__main__":
    unittest.main()
