"""The network that learns computes what its graph computes, part by part, and its weights survive bytes."""

import sys
import unittest
from pathlib import Path

import numpy
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parent.parent))
from encoder_graft import to_bytes  # noqa: E402
from encoder_graph import DEVIATION_MIN, WIDTH  # noqa: E402
from encoder_learn import CROP_SAMPLES, crop  # noqa: E402
from encoder_network import ROTATED, Block, convolve, rotate, to_statistics  # noqa: E402
from recorded import SAMPLES, change  # noqa: E402


class Parts(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)

    def test_a_convolution_by_one_product_is_the_convolution(self):
        for layer in (nn.Conv1d(1, 5, 127, stride=64, bias=False), nn.Conv1d(3, 6, 7, stride=3)):
            values = torch.randn(2, layer.in_channels, 640)
            torch.testing.assert_close(convolve(values, layer), layer(values), atol=1e-5, rtol=1e-5)

    def test_rotation_keeps_lengths_and_the_rest_of_a_head(self):
        values, angles = torch.randn(1, 2, 7, 52), torch.rand(7, ROTATED // 2).repeat_interleave(2, dim=1)
        turned = rotate(values, angles.cos(), angles.sin())
        torch.testing.assert_close(turned[..., ROTATED:], values[..., ROTATED:])
        pairs = [part[..., :ROTATED].unflatten(-1, (-1, 2)).norm(dim=-1) for part in (values, turned)]
        torch.testing.assert_close(*pairs)
        self.assertGreater(float((turned - values).abs().max()), 0.1)

    def test_a_block_moves_every_frame_by_what_it_sees_of_the_others(self):
        block, values = Block().eval(), torch.randn(1, 9, WIDTH)
        even = torch.zeros(9, ROTATED)
        changed = values.clone()
        changed[0, 8] += 1
        before, after = (block(part, even.cos(), even.sin()) for part in (values, changed))
        self.assertTrue(bool(((before - after)[0, 0].abs() > 0).any()))

    def test_statistics_are_those_of_the_graph(self):
        values = torch.randn(3, 11, WIDTH)
        found, rows = to_statistics([values]).numpy(), values.numpy()
        numpy.testing.assert_allclose(found[:, :WIDTH], rows.mean(axis=1), atol=1e-6)
        numpy.testing.assert_allclose(found[:, WIDTH : 2 * WIDTH], numpy.log(rows.std(axis=1) + DEVIATION_MIN), atol=1e-5)
        steps = numpy.abs(numpy.diff(rows, axis=1)).mean(axis=1)
        numpy.testing.assert_allclose(found[:, 2 * WIDTH :], numpy.log(steps + DEVIATION_MIN), atol=1e-5)

    def test_bytes_are_at_most_half_a_step_off_and_hold_zero(self):
        rows = numpy.random.default_rng(1).standard_normal((6, 40)).astype(numpy.float32) * [[1e-3], [1], [5], [0.1], [0], [2]]
        rows[2], rows[3, 7] = numpy.abs(rows[2]), 0
        integers, scales, zeros = to_bytes(rows)
        floats = (integers.astype(numpy.float32) - zeros[:, None]) * scales[:, None]
        self.assertTrue(bool((numpy.abs(floats - rows) <= scales[:, None] * 0.51).all()))
        self.assertEqual(floats[3, 7], 0)
        self.assertFalse(floats[4].any())

    def test_a_drawn_chain_keeps_the_length_and_is_the_same_for_the_same_draw(self):
        window = numpy.random.default_rng(2).standard_normal(SAMPLES).astype(numpy.float32) * 0.1
        changed = [[change(window, numpy.random.default_rng(seed)) for seed in range(20)] for _ in range(2)]
        numpy.testing.assert_array_equal(*changed)
        self.assertEqual({len(one) for one in changed[0]}, {SAMPLES})
        self.assertGreater(sum(not numpy.array_equal(numpy.abs(one), numpy.abs(window)) for one in changed[0]), 5)

    def test_a_crop_lies_within_its_windows(self):
        sound = numpy.arange(2 * SAMPLES, dtype=numpy.float32).reshape(2, SAMPLES)
        part = crop(sound, numpy.random.default_rng(3))
        self.assertEqual(part.shape, (2, CROP_SAMPLES))
        self.assertTrue(bool((numpy.diff(part, axis=1) == 1).all()))


if __name__ == "__main__":
    unittest.main()
