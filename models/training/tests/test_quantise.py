import tempfile
import unittest
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper
from torch import nn

from quantise import INPUT_STEPS_MAX, WEIGHT_STEP_MAX, InputRounding, round_channels, smooth, store_in_bytes, to_range
from quantise import RangeWatch


class Rounded(nn.Module):
    def __init__(self):
        super().__init__()
        generator = torch.Generator().manual_seed(1)
        weight = torch.randn(8, 16, generator=generator) * torch.logspace(-2, 2, 8)[:, None]
        self.weight = nn.Parameter(round_channels(weight), requires_grad=False)
        self.bias = nn.Parameter(torch.randn(8, generator=generator), requires_grad=False)
        self.enter = InputRounding({"map": to_range(torch.tensor(-2.0), torch.tensor(3.0))})

    def forward(self, tokens):
        return nn.functional.linear(self.enter("map", tokens), self.weight, self.bias)


class QuantiseTest(unittest.TestCase):
    def test_a_range_always_holds_zero_exactly(self):
        for low, high in ((0.5, 3.0), (-3.0, -0.5), (-1.0, 2.0)):
            scale, zero = to_range(torch.tensor(low), torch.tensor(high))
            self.assertIn(zero, range(INPUT_STEPS_MAX + 1))
            kept = torch.fake_quantize_per_tensor_affine(torch.zeros(1), scale, zero, 0, INPUT_STEPS_MAX)
            self.assertEqual(float(kept), 0.0)

    def test_every_channel_is_whole_steps_of_its_own_size(self):
        rounded = Rounded().weight
        steps = rounded / (rounded.abs().amax(dim=1, keepdim=True) / WEIGHT_STEP_MAX)
        self.assertLess(float((steps - steps.round()).abs().max()), 1e-3)
        self.assertEqual(float(steps.abs().amax().round()), WEIGHT_STEP_MAX)

    def test_smoothing_changes_what_a_map_sees_but_not_what_it_says(self):
        generator = torch.Generator().manual_seed(2)
        parts = {
            "norm2_weight": torch.ones(16), "norm2_bias": torch.zeros(16),
            "rise_weight": torch.randn(4, 16, generator=generator),
        }
        tokens = torch.randn(10, 16, generator=generator) * torch.logspace(-1, 2, 16)
        watch = RangeWatch()
        watch("rise", tokens)
        before = tokens @ parts["rise_weight"].T
        smooth(parts, watch, "rise")
        after = (tokens * parts["norm2_weight"] + parts["norm2_bias"]) @ parts["rise_weight"].T
        torch.testing.assert_close(before, after, rtol=1e-4, atol=1e-4)

    def test_the_stored_bytes_are_the_rounded_weights(self):
        model = Rounded()
        path = Path(self.enterContext(tempfile.TemporaryDirectory())) / "model.onnx"
        torch.onnx.export(model, torch.zeros(2, 3, 16), path, opset_version=17)
        store_in_bytes(path)
        graph = onnx.load(path).graph
        values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
        (stored,) = (value for value in values.values() if value.dtype == numpy.int8 and value.ndim == 2)
        (name,) = (name for name, value in values.items() if value is stored)
        steps = values[name.replace("_bytes", "_step")]
        numpy.testing.assert_allclose((stored * steps).T, model.weight.numpy(), rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
