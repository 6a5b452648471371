"""Owns the network: from traces to a map of edited cells, a logit for a window, and trust.

Edits show as cells that differ from the rest of the picture, so every cell also sees
its difference to the mean of all, in units of their spread.
"""

import torch
from torch import nn
from torch.nn import functional

from traces import Traces

WIDTH = 32
"""A multiple of 16, or the appliance's runtime leaves its fast path: two networks of 32 cost a tile a fifth more than
one of 40 does, two of 40 two fifths."""
DILATIONS = (1, 2, 4)
ATTENTION_MAX = 6.0
EPSILON = 1e-3
TRACE_MAX = 5.0
"""Standardised traces beyond this are cut off."""
DROPOUT = 0.15


class ContextBlock(nn.Module):
    """A residual block whose second convolution looks further."""

    def __init__(self, width, dilation):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=dilation, dilation=dilation, bias=False)
        self.second_norm = nn.BatchNorm2d(width)

    def forward(self, features):
        inner = functional.relu(self.first_norm(self.first(features)))
        return functional.relu(features + self.second_norm(self.second(inner)))


class Contrast(nn.Module):
    """Joins each cell with its difference to the picture's mean and the size of that difference."""

    def __init__(self, width_in, width_out):
        super().__init__()
        self.mix = nn.Conv2d(3 * width_in, width_out, 1, bias=False)
        self.norm = nn.BatchNorm2d(width_out)

    def forward(self, features):
        difference = features - features.mean(dim=(2, 3), keepdim=True)
        spread = torch.sqrt((difference * difference).mean(dim=(2, 3), keepdim=True) + EPSILON)
        relative = difference / spread
        return functional.relu(self.norm(self.mix(torch.cat([features, relative, relative.abs()], dim=1))))


class EvidenceNetwork(nn.Module):
    """Maps traces [N, C, R, S] to (logit [N], map [N, R, S], trust [N, R, S]), all as logits; positive means
    edited, and that the map's side is right.
    """

    def __init__(self, trace_width):
        super().__init__()
        self.standardise = nn.BatchNorm2d(trace_width, affine=False, momentum=0.02)
        self.raw = Contrast(trace_width, WIDTH)
        self.first = Contrast(WIDTH, WIDTH)
        self.blocks = nn.Sequential(*(ContextBlock(WIDTH, dilation) for dilation in DILATIONS))
        self.dropout = nn.Dropout2d(DROPOUT)
        self.map_head = nn.Conv2d(WIDTH, 1, 1)
        self.trust_head = nn.Sequential(nn.Conv2d(WIDTH + 1, 16, 1), nn.ReLU(), nn.Conv2d(16, 1, 1))
        self.evidence_head = nn.Conv2d(WIDTH + 1, 2, 1)

    def to_maps(self, traces):
        """Returns (evidence, weight, map, trust), each [N, 1, R, S]: a window's logit is the weighted mean of evidence."""
        traces = torch.clamp(self.standardise(traces), -TRACE_MAX, TRACE_MAX)
        features = self.dropout(self.blocks(self.first(self.raw(traces))))
        cells = self.map_head(features)
        both = torch.cat([features, cells], dim=1)
        heads = self.evidence_head(both)
        weight = torch.exp(ATTENTION_MAX * torch.tanh(heads[:, 1:] / ATTENTION_MAX))
        return heads[:, :1], weight, cells, self.trust_head(both.detach())

    def forward(self, traces):
        evidence, weight, cells, trust = self.to_maps(traces)
        return to_logit(evidence, weight), cells[:, 0], trust[:, 0]



def to_logit(evidence, weight):
    return (evidence * weight).sum(dim=(1, 2, 3)) / weight.sum(dim=(1, 2, 3))


def make_network():
    return EvidenceNetwork(Traces().width)
