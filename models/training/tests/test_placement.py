"""The patch rule, which the appliance repeats in TypeScript (test/worker/patch-detail.test.ts)."""

import unittest

import numpy

from placement import choose_by_detail, choose_patches, measure_detail, place_axis, place_patches


class PlacePatches(unittest.TestCase):
    def test_known_cases(self):
        cases = [
            ((128, 128), [(0, 0)]),
            ((144, 144), [(0, 0), (16, 0), (0, 16), (16, 16)]),
            ((192, 192), [(0, 0), (64, 0), (0, 64), (64, 64)]),
            ((190, 130), [(0, 0), (56, 0)]),
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
                        self.assertEqual(len(places), len(set(places)))
                        for left, top in places:
                            self.assertEqual((left % 8, top % 8), (0, 0))
                            self.assertTrue(0 <= left <= width - 128 and 0 <= top <= height - 128)

    def test_with_a_step_places_overlap_up_to_the_count(self):
        cases = [
            ((128, 128), [(0, 0)]),
            ((192, 192), [(0, 0), (64, 0), (0, 64), (64, 64)]),
            ((256, 130), [(0, 0), (64, 0), (128, 0)]),
        ]
        for (width, height), expected in cases:
            with self.subTest(width=width, height=height):
                self.assertEqual(place_patches(width, height, count_max=196, step_px=64), expected)
        self.assertEqual(len(place_patches(512, 512, count_max=196, step_px=64)), 49)
        self.assertEqual(len(place_patches(4000, 3000, count_max=196, step_px=64)), 192)

    def test_one_patch_is_centred(self):
        self.assertEqual(place_axis(1000, 128, 8, 1), [432])


class ChooseByDetail(unittest.TestCase):
    def test_the_most_detailed_in_their_order_and_no_place_of_less_than_the_share(self):
        self.assertEqual(choose_by_detail(["a", "b", "c", "d"], [6, 10, 4, 8], 16, 0.5), ["a", "b", "d"])
        self.assertEqual(choose_by_detail(["a", "b", "c", "d"], [6, 10, 4, 2], 16), ["a", "b", "c"])
        self.assertEqual(choose_by_detail(["a", "b", "c", "d"], [6, 10, 4, 8], 2), ["b", "d"])

    def test_equal_places_are_taken_from_the_first(self):
        self.assertEqual(choose_by_detail(["a", "b", "c"], [5, 5, 5], 2), ["a", "b"])
        self.assertEqual(choose_by_detail(["a", "b"], [0, 0], 16), ["a", "b"])

    def test_detail_is_counted_in_whole_steps_of_brightness(self):
        patch = numpy.zeros((2, 2, 3), numpy.uint8)
        patch[0, 1] = 10
        self.assertEqual(measure_detail(patch), 2 * 10_000)

    def test_detail_in_one_corner_is_found(self):
        pixels = numpy.full((1024, 1024, 3), 90, numpy.uint8)
        pixels[900:, 900:] = numpy.random.default_rng(1).integers(0, 256, (124, 124, 3), numpy.uint8)
        self.assertEqual(choose_patches(pixels), [(896, 824), (824, 896), (896, 896)])


if __name__ == "__main__":
    unittest.main()
