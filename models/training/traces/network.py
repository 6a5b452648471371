"""Owns the trace network: high-pass filters, a small residual body, a map of logits.

The stem sees differences between neighbours, not content: each filter is held to a zero sum, so flat areas and
brightness give nothing. tanh limits strong edges, which would drown the traces otherwise. There is no batch
normalisation: the convolutions hold it already in the weights that the training starts from, so a batch of a
few hard sources cannot shift the statistics of all others.
"""

import math

import torch
from torch import nn
from torch.nn import functional

STEM_WIDTH = 12
STEM_SIDE = 5
STEM_GAIN = 25.0
BODY = ((32, 0), (64, 1), (96, 1), (128, 1))
"""Per stage: channels, residual blocks. Each stage halves the resolution."""


class Stem(nn.Module):
    """Zero-sum filters with learnt weights, followed by a soft limit."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(STEM_WIDTH, 3, STEM_SIDE, STEM_SIDE) / STEM_SIDE)
        self.gain = nn.Parameter(torch.full((STEM_WIDTH, 1, 1), math.log(STEM_GAIN)))

    def forward(self, pixels):
        weight = self.weight - self.weight.mean(dim=(2, 3), keepdim=True)
        return torch.tanh(functional.conv2d(pixels, weight, padding=STEM_SIDE // 2) * self.gain.exp())


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)

    def forward(self, features):
        return functional.relu(features + self.second(functional.relu(self.first(features))))


class TraceNetwork(nn.Module):
    """Maps pixels float32 [N, 3, H, W] in 0..1 (RGB) to one logit per patch; positive means artificial."""

    def __init__(self):
        super().__init__()
        self.stem = Stem()
        layers, width = [], STEM_WIDTH
        for width_out, block_count in BODY:
            layers += [nn.Conv2d(width, width_out, 3, stride=2, padding=1), nn.ReLU()]
            layers += [Block(width_out) for _ in range(block_count)]
            width = width_out
        self.body = nn.Sequential(*layers)
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, pixels):
        return self.head(self.body(self.stem(pixels))).mean(dim=(1, 2, 3))


def load_exported(network, path):
    """Takes the weights of an ONNX file of the same shape whose normalisation was folded into its convolutions.

    The exported stem holds its gain within the filters' weights. Raises ValueError if the graph has another shape.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    arrays = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    convolutions = [node for node in graph.node if node.op_type == "Conv"]
    stem, *rest = convolutions
    targets = [module for module in network.body.modules() if isinstance(module, nn.Conv2d)] + [network.head]
    if len(rest) != len(targets):
        raise ValueError(f"{path}: {len(rest)} convolutions behind the stem, {len(targets)} expected")
    with torch.no_grad():
        weight = arrays[stem.input[1]]
        network.stem.weight.copy_(weight / STEM_GAIN)
        for node, target in zip(rest, targets):
            target.weight.copy_(arrays[node.input[1]])
            target.bias.copy_(arrays[node.input[2]])
    return network
