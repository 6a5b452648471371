"""What the graphs promise: loudness and a channel's gain do not matter, silence gives a number."""

import sys
import unittest
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).parent.parent))

from export import make_golden_windows  # noqa: E402
from network import Ensemble, SpeechNetwork  # noqa: E402
from scoring import WINDOW_SAMPLES, cut_windows, limit_band  # noqa: E402
from statistics_features import Statistics  # noqa: E402


class Graphs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.manual_seed(1)
        cls.sound = make_golden_windows()
        cls.network = SpeechNetwork().eval()
        cls.statistics = Statistics(WINDOW_SAMPLES).eval()

    @torch.no_grad()
    def test_loudness_does_not_matter(self):
        torch.testing.assert_close(self.network(self.sound * 0.25), self.network(self.sound), rtol=1e-3, atol=1e-3)
        noise = torch.randn(2, WINDOW_SAMPLES) * (0.1 + torch.rand(2, WINDOW_SAMPLES // 256).repeat_interleave(256, 1))
        torch.testing.assert_close(self.statistics(noise * 0.25), self.statistics(noise), rtol=1e-3, atol=1e-3)

    @torch.no_grad()
    def test_silence_and_full_scale_give_numbers(self):
        for graph in (self.network, self.statistics):
            for sound in (torch.zeros(1, WINDOW_SAMPLES), torch.ones(1, WINDOW_SAMPLES), self.sound.sign()):
                self.assertTrue(torch.isfinite(graph(sound)).all())

    @torch.no_grad()
    def test_polarity_does_not_matter_to_the_network(self):
        torch.testing.assert_close(self.network(-self.sound), self.network(self.sound), rtol=1e-4, atol=1e-5)

    @torch.no_grad()
    def test_an_ensemble_is_the_mean_of_its_networks(self):
        other = SpeechNetwork().eval()
        mean = (self.network(self.sound) + other(self.sound)) / 2
        torch.testing.assert_close(Ensemble([self.network, other])(self.sound), mean)


class Windows(unittest.TestCase):
    def test_quiet_windows_are_left_out_and_the_end_is_reached(self):
        sound = numpy.zeros(3 * WINDOW_SAMPLES, dtype=numpy.float32)
        sound[: 2 * WINDOW_SAMPLES] = 0.1
        self.assertEqual(len(cut_windows(sound)), 4)

    def test_short_clips_are_repeated(self):
        self.assertEqual(cut_windows(numpy.ones(100, dtype=numpy.float32)).shape, (1, WINDOW_SAMPLES))

    def test_the_band_is_limited(self):
        time = numpy.arange(16_000)
        low, high = numpy.sin(time * 2 * numpy.pi * 1_000 / 16_000), numpy.sin(time * 2 * numpy.pi * 5_000 / 16_000)
        limited = limit_band(low + high, (300, 3_400))
        self.assertLess(numpy.abs(limited - low)[200:-200].max(), 1e-3)

    def test_golden_windows_are_those_of_the_rule(self):
        expected = 0.1 * numpy.sin(0.05 * 2 * 3) + 0.05 * (((3 * 1_103_515_245 + 12_345 * 2) % 2**31) / 2**30 - 1)
        self.assertAlmostEqual(float(make_golden_windows()[1, 3]), expected, places=7)


if __name__ == "__main__":
    unittest.main()
