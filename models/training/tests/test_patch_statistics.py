"""The statistics are finite, blind to places, and count pairs as one would by hand."""

import unittest
from collections import Counter

import torch

from patch_statistics import TRUNCATION, PatchStatistics

CLASSES = ((0, 0), (1, 0), (2, 0), (1, 1), (1, -1), (2, 2), (2, -2), (2, 1), (2, -1))


def make_pixels(seed, height=128, width=128):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, 256, (2, 3, height, width), generator=generator) / 255


class Statistics(unittest.TestCase):
    def setUp(self):
        self.statistics = PatchStatistics().eval()

    def test_all_are_finite(self):
        cases = {
            "noise": make_pixels(1), "black": torch.zeros(2, 3, 128, 128), "white": torch.ones(2, 3, 128, 128),
            "smallest": make_pixels(2, 64, 64), "not square": make_pixels(3, 64, 120),
        }
        for name, pixels in cases.items():
            with self.subTest(name):
                computed = self.statistics(pixels)
                self.assertEqual(computed.shape, (2, self.statistics.count))
                self.assertTrue(torch.isfinite(computed).all())

    def test_a_patch_is_scored_the_same_in_any_batch(self):
        pixels = make_pixels(4)
        alone = self.statistics(pixels[1:])
        self.assertLess((self.statistics(pixels)[1:] - alone).abs().max().item(), 1e-4)

    def test_pairs_are_counted(self):
        residual = torch.randn(1, 1, 24, 20, generator=torch.Generator().manual_seed(5)) * 1.5
        row = residual.round().clamp(-TRUNCATION, TRUNCATION).flatten().int().tolist()
        for shares, distance in zip(self.statistics.count_pairs(residual), (1, 20)):
            counted = Counter(
                max((a, b), (b, a), (-a, -b), (-b, -a)) for a, b in zip(row[:-distance], row[distance:])
            )
            for share, key in zip(shares[0].tolist(), CLASSES):
                with self.subTest(distance=distance, key=key):
                    # Shares with a zero use the frequency of the other size in the whole plane.
                    self.assertAlmostEqual(share, counted[key] / (len(row) - distance), delta=0.02)


if __name__ == "__main__":
    unittest.main()
