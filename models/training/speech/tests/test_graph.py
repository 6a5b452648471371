"""What the graphs promise: loudness does not matter, silence gives a number, heads weigh as they were fitted."""

import sys
import unittest
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from encoder_graph import FEATURE_COUNT, LAYERS  # noqa: E402
from encoder_heads import CLIP_AT, LAYER_FEATURES, Heads, fit_heads  # noqa: E402
from export import make_golden_windows  # noqa: E402
from packs import PACKS  # noqa: E402
from parity import make_windows  # noqa: E402
from scoring import limit_band  # noqa: E402
from statistics_features import Statistics  # noqa: E402

WINDOW_SAMPLES = PACKS["statistics"].window_samples


class Graphs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.sound = torch.from_numpy(make_golden_windows(WINDOW_SAMPLES))
        cls.statistics = Statistics(WINDOW_SAMPLES).eval()

    @torch.no_grad()
    def test_loudness_does_not_matter(self):
        noise = torch.randn(2, WINDOW_SAMPLES) * (0.1 + torch.rand(2, WINDOW_SAMPLES // 256).repeat_interleave(256, 1))
        torch.testing.assert_close(self.statistics(noise * 0.25), self.statistics(noise), rtol=1e-3, atol=1e-3)

    @torch.no_grad()
    def test_silence_and_full_scale_give_numbers(self):
        for sound in (torch.zeros(1, WINDOW_SAMPLES), torch.ones(1, WINDOW_SAMPLES), self.sound.sign()):
            self.assertTrue(torch.isfinite(self.statistics(sound)).all())


class HeadsOfLayers(unittest.TestCase):
    def test_a_difference_of_one_layer_is_found_and_scaled(self):
        rng = numpy.random.default_rng(1)
        is_artificial = numpy.arange(200) % 2 == 1
        features = rng.normal(0, 1, (200, FEATURE_COUNT)).astype(numpy.float32)
        features[:, LAYER_FEATURES] += 6 * is_artificial
        heads = fit_heads(features, is_artificial, numpy.ones(200))
        layers = heads.score_layers(features)
        self.assertEqual(layers.shape, (200, len(LAYERS)))
        self.assertGreater(layers[is_artificial, 1].min(), layers[~is_artificial, 1].max() - 0.5)
        deviations = layers.std(axis=0)
        scaled = heads.scaled_by(deviations).score_layers(features)
        numpy.testing.assert_allclose(scaled.std(axis=0), 1, atol=1e-3)
        numpy.testing.assert_allclose(scaled, layers / deviations, atol=1e-3)

    def test_what_lies_far_out_is_clipped(self):
        count = FEATURE_COUNT
        heads = Heads(numpy.zeros(count), numpy.ones(count), numpy.ones(count), numpy.zeros(len(LAYERS)))
        self.assertEqual(float(heads.score(numpy.full((1, count), 1e9))[0]), CLIP_AT * LAYER_FEATURES)


class Windows(unittest.TestCase):
    def test_a_short_stretch_is_repeated(self):
        described, windows = make_windows(32_000)
        length = described["ranges"][-1]["length"]
        self.assertEqual(windows.shape, (len(described["ranges"]), 32_000))
        self.assertTrue((windows[-1][length:] == windows[-1][: 32_000 - length]).all())

    def test_the_band_is_limited(self):
        time = numpy.arange(16_000)
        low, high = numpy.sin(time * 2 * numpy.pi * 1_000 / 16_000), numpy.sin(time * 2 * numpy.pi * 5_000 / 16_000)
        limited = limit_band(low + high, (300, 3_400))
        self.assertLess(numpy.abs(limited - low)[200:-200].max(), 1e-3)

    def test_golden_windows_are_those_of_the_rule(self):
        expected = 0.1 * numpy.sin(0.05 * 2 * 3) + 0.05 * (((3 * 1_103_515_245 + 12_345 * 2) % 2**31) / 2**30 - 1)
        self.assertAlmostEqual(float(make_golden_windows(WINDOW_SAMPLES)[1, 3]), expected, places=7)


if __name__ == "__main__":
    unittest.main()
