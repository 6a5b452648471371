"""Owns the residual network: a stem of high-pass filters, a small body, a map of logits.

The stem sees differences between neighbours, not content: each of its filters
is held to a zero sum, so that flat areas and brightness give nothing, and tanh
cuts strong edges off, which would drown the traces otherwise.
"""

import math

import torch
from torch import nn
from torch.nn import functional

STEM_WIDTH = 12
STEM_SIDE = 5
BODY = ((32, 0), (64, 1), (96, 1), (128, 1))
"""Per stage: channels, residual blocks. Each stage halves the resolution."""

KV_FILTER = (
    (-1, 2, -2, 2, -1),
    (2, -6, 8, -6, 2),
    (-2, 8, -12, 8, -2),
    (2, -6, 8, -6, 2),
    (-1, 2, -2, 2, -1),
)
LAPLACIAN = ((0, 0, 0, 0, 0), (0, -1, 2, -1, 0), (0, 2, -4, 2, 0), (0, -1, 2, -1, 0), (0, 0, 0, 0, 0))
SECOND_X = ((0,) * 5, (0,) * 5, (0, 1, -2, 1, 0), (0,) * 5, (0,) * 5)
FIRST_X = ((0,) * 5, (0,) * 5, (0, 0, -1, 1, 0), (0,) * 5, (0,) * 5)
LUMA = (0.299, 0.587, 0.114)
BLUE_DIFFERENCE = (-0.169, -0.331, 0.5)
RED_DIFFERENCE = (0.5, -0.419, -0.081)


def make_stem_filters():
    """Returns [STEM_WIDTH, 3, 5, 5]: classic residual filters on luma and both chroma planes."""
    def of(filter_rows, colour, transposed=False):
        plane = torch.tensor(filter_rows, dtype=torch.float32)
        plane = plane.t() if transposed else plane
        plane = plane / plane.norm()
        return torch.tensor(colour).view(3, 1, 1) * plane

    filters = [
        of(KV_FILTER, LUMA), of(LAPLACIAN, LUMA),
        of(SECOND_X, LUMA), of(SECOND_X, LUMA, True),
        of(FIRST_X, LUMA), of(FIRST_X, LUMA, True),
        of(KV_FILTER, BLUE_DIFFERENCE), of(LAPLACIAN, BLUE_DIFFERENCE),
        of(KV_FILTER, RED_DIFFERENCE), of(LAPLACIAN, RED_DIFFERENCE),
        of(LAPLACIAN, (1.0, -1.0, 0.0)), of(LAPLACIAN, (0.0, -1.0, 1.0)),
    ]
    return torch.stack(filters)


class ResidualStem(nn.Module):
    """High-pass filters with learnt weights, followed by a soft truncation."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(make_stem_filters())
        self.gain = nn.Parameter(torch.full((STEM_WIDTH, 1, 1), math.log(25.0)))

    def forward(self, pixels):
        weight = self.weight - self.weight.mean(dim=(2, 3), keepdim=True)
        residual = functional.conv2d(pixels, weight, padding=STEM_SIDE // 2)
        return torch.tanh(residual * self.gain.exp())


class ResidualBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(width)

    def forward(self, features):
        inner = functional.relu(self.first_norm(self.first(features)))
        return functional.relu(features + self.second_norm(self.second(inner)))


def make_stage(width_in, width_out, block_count):
    return nn.Sequential(
        nn.Conv2d(width_in, width_out, 3, stride=2, padding=1, bias=False),
        nn.BatchNorm2d(width_out),
        nn.ReLU(),
        *(ResidualBlock(width_out) for _ in range(block_count)),
    )


class ResidualNetwork(nn.Module):
    """Maps pixels float32 [N, 3, H, W] in 0..1 (RGB) to one logit per item; positive means artificial."""

    def __init__(self):
        super().__init__()
        self.stem = ResidualStem()
        stages, width = [], STEM_WIDTH
        for width_out, block_count in BODY:
            stages.append(make_stage(width, width_out, block_count))
            width = width_out
        self.body = nn.Sequential(*stages)
        self.head = nn.Conv2d(width, 1, 1)
        self.feature_width = width

    def to_features(self, pixels):
        return self.body(self.stem(pixels))

    def judge(self, pixels):
        """Returns (logit [N], features [N, feature_width])."""
        features = self.to_features(pixels)
        return self.head(features).mean(dim=(1, 2, 3)), features.mean(dim=(2, 3))

    def forward(self, pixels):
        return self.judge(pixels)[0]


class TrainingNetwork(nn.Module):
    """A network with a second task, naming the source; export drops the second head.

    Naming sources makes the body keep every pipeline's traces apart, which
    two labels alone do not ask for.
    """

    def __init__(self, network, source_count):
        super().__init__()
        self.network = network
        self.dropout = nn.Dropout(0.2)
        self.source_head = nn.Linear(self.network.feature_width, source_count)

    def forward(self, pixels):
        logit, features = self.network.judge(pixels)
        return logit, self.source_head(self.dropout(features))
