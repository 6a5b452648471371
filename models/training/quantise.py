"""Owns how the transformer computes in eight bits: three times as fast where a processor multiplies bytes.

What enters a linear map is rounded to 256 steps of a range that was measured once, so that an answer depends on no
other patch; weights are rounded to 127 steps an output channel. They could have 255, but older processors (AVX2) add
two products in 16 bits, which would overflow: so every processor gives the same sums. Channels that reach far beyond the others
are made smaller in the normalisation before a map and larger in its weights (Xiao et al., "SmoothQuant", 2023).
"""

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

INPUT_STEPS_MAX = 255
WEIGHT_STEP_MAX = 63
SMOOTHING = 0.5
"""How much of a channel's reach the weights take over; 0.5 gives both sides the same."""
REACH_MIN, SCALE_MAX = 1e-5, 1e3
RANGE_CROP_EVERY = 16
"""Every so many crops the ranges are measured on. Labels play no part."""
FED_BY_NORM = {"attention": ("norm1", ("query", "key", "value")), "rise": ("norm2", ("rise",))}
INPUTS = ("attention", "output", "rise", "fall")
ROUNDING_FILE = "rounding.txt"
"""What rounding.py found, for the card."""


class RangeWatch:
    """The least and the greatest value of each channel that entered the maps of one block."""

    def __init__(self):
        self.low, self.high = {}, {}

    def __call__(self, name, tokens):
        rows = tokens.reshape(-1, tokens.shape[-1])
        low, high = rows.amin(dim=0), rows.amax(dim=0)
        self.low[name] = torch.minimum(low, self.low.get(name, low))
        self.high[name] = torch.maximum(high, self.high.get(name, high))
        return tokens


class InputRounding:
    """Rounds what enters the maps of one block, each within its own range."""

    def __init__(self, ranges):
        self.ranges = ranges

    def __call__(self, name, tokens):
        scale, zero = self.ranges[name]
        return torch.fake_quantize_per_tensor_affine(tokens, scale, zero, 0, INPUT_STEPS_MAX)


@torch.no_grad()
def quantise(transformer, show_patches):
    """Rounds weights and inputs of every block, in place. `show_patches` runs the transformer over the crops for the ranges."""
    watches = [RangeWatch() for _ in transformer.blocks]
    for block, watch in zip(transformer.blocks, watches):
        block.enter = watch
    show_patches(transformer)
    for block, watch in zip(transformer.blocks, watches):
        for name in FED_BY_NORM:
            smooth(block.parts, watch, name)
        for name in ("query", "key", "value", "output", "rise", "fall"):
            weight = block.parts[f"{name}_weight"]
            weight.copy_(round_channels(weight))
        block.enter = InputRounding({name: to_range(watch.low[name], watch.high[name]) for name in INPUTS})
    return transformer


def smooth(parts, watch, name):
    norm, maps = FED_BY_NORM[name]
    reach = torch.maximum(watch.low[name].abs(), watch.high[name].abs()).clamp_min(REACH_MIN)
    weights = torch.stack([parts[f"{one}_weight"].abs().amax(dim=0) for one in maps]).amax(dim=0).clamp_min(REACH_MIN)
    scale = (reach**SMOOTHING / weights ** (1 - SMOOTHING)).clamp(1 / SCALE_MAX, SCALE_MAX)
    for kind in ("weight", "bias"):
        parts[f"{norm}_{kind}"].div_(scale)
    for one in maps:
        parts[f"{one}_weight"].mul_(scale)
    watch.low[name], watch.high[name] = watch.low[name] / scale, watch.high[name] / scale


def to_range(low, high):
    """Returns (size of a step, the step that stands for zero)."""
    low, high = min(float(low.min()), 0.0), max(float(high.max()), 0.0)
    scale = float(numpy.float32((high - low) / INPUT_STEPS_MAX))
    return scale, int(min(max(round(-low / scale), 0), INPUT_STEPS_MAX))


def round_channels(weight):
    """Rounds [out, in] to whole steps of each output's own size."""
    step = weight.abs().amax(dim=1, keepdim=True) / WEIGHT_STEP_MAX
    return (weight / step).round() * step


def store_in_bytes(path):
    """Rewrites the rounded weights of a model as the bytes that they are, and the rest as 16-bit floats."""
    model = onnx.load(path)
    graph = model.graph
    rounded = {node.output[0] for node in graph.node if node.op_type == "DequantizeLinear"}
    weighted = {node.input[1] for node in graph.node if node.op_type == "MatMul" and node.input[0] in rounded}
    nodes, stored = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.name in weighted:
            # [in, out]: ONNX multiplies from the left.
            step = (numpy.abs(values).max(axis=0) / WEIGHT_STEP_MAX).astype(numpy.float32)
            parts = {
                "bytes": numpy.round(values / step).astype(numpy.int8), "step": step,
                "zero": numpy.zeros(step.shape, numpy.int8),
            }
            names = [f"{tensor.name}_{part}" for part in parts]
            stored += [numpy_helper.from_array(part, name) for part, name in zip(parts.values(), names)]
            nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], axis=1))
        elif values.dtype == numpy.float32 and values.ndim > 1:
            stored.append(numpy_helper.from_array(values.astype(numpy.float16), f"{tensor.name}_stored"))
            nodes.append(helper.make_node("Cast", [f"{tensor.name}_stored"], [tensor.name], to=TensorProto.FLOAT))
        else:
            stored.append(tensor)
    nodes += graph.node
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(stored)
    graph.node.extend(nodes)
    onnx.save(model, path)
