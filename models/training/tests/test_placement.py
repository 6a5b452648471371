"""The patch rule, which the appliance repeats in TypeScript."""

import unittest

from placement import place_axis, place_patches


class PlacePatches(unittest.TestCase):
    def test_known_cases(self):
        cases = [
            ((128, 128), [(0, 0)]),
            ((144, 144), [(0, 0), (16, 0), (0, 16), (16, 16)]),
            ((192, 192), [(0, 0), (64, 0), (0, 64), (64, 64)]),
            ((190, 130), [(0, 0), (56, 0), (0, 0), (56, 0)]),
        ]
        for (width, height), expected in cases:
            with self.subTest(width=width, height=height):
                self.assertEqual(place_patches(width, height), expected)

    def test_patches_stay_inside_on_the_grid_and_within_the_count(self):
        for width in (128, 131, 512, 1000, 4000, 12000):
            for height in (128, 200, 768, 3000):
                for count_max in (1, 16, 256):
                    with self.subTest(width=width, height=height, count_max=count_max):
                        places = place_patches(width, height, count_max=count_max)
                        self.assertTrue(1 <= len(places) <= count_max)
                        for left, top in places:
                            self.assertEqual((left % 8, top % 8), (0, 0))
                            self.assertTrue(0 <= left <= width - 128 and 0 <= top <= height - 128)

    def test_one_patch_is_centred(self):
        self.assertEqual(place_axis(1000, 128, 8, 1), [432])


if __name__ == "__main__":
    unittest.main()
