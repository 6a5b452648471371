"""Owns the fixed part of the network: what a cell of 8x8 pixels shows of noise, resampling and JPEG history.

Nothing here is learnt, so the traces of a sample are computed once and training
only sees them. Three views: residuals of classic high-pass filters and how neighbouring
residuals depend on each other; the strength of the 8x8 JPEG grid by phase; and the
periodicity of cosine coefficients, which tells how finely they were quantised before.
"""

import math

import torch
from torch import nn
from torch.nn import functional

from residual_filters import LUMA, STEM_SIDE, make_stem_filters

CELL_PX = 8
LEVELS = 255.0
RESIDUAL_MAX = 24.0
"""In grey levels: strong edges are cut off, or they would drown the noise."""
SHIFTS = ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0))
CORRELATED = (0, 1, 6, 8)
"""Of the residual filters: both of luma and one of each chroma plane."""
COEFFICIENT_COUNT = 12
STEPS = (2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 13.0, 17.0, 24.0)
"""Quantisation steps that are looked for, in levels of a cosine coefficient: JPEG 95 to 50."""
GRID_SMOOTHINGS = (3, 7)
DARK_LEVEL = 6.0
BRIGHT_LEVEL = 249.0


def make_cosine_filters(count):
    """Returns [count, 1, 8, 8]: the orthonormal cosine basis after the mean, in zigzag order."""
    def basis(frequency):
        scale = math.sqrt((1 if frequency == 0 else 2) / CELL_PX)
        return [scale * math.cos((2 * x + 1) * frequency * math.pi / (2 * CELL_PX)) for x in range(CELL_PX)]

    pairs = sorted(((u, v) for u in range(CELL_PX) for v in range(CELL_PX)), key=lambda pair: (sum(pair), pair))
    rows = [torch.tensor(basis(frequency)) for frequency in range(CELL_PX)]
    return torch.stack([rows[u][:, None] * rows[v][None] for u, v in pairs[1 : count + 1]]).unsqueeze(1)


def make_phase_filters(transposed):
    """Returns [8, 1, 8, 8]: the mean of each column of a cell, or of each row."""
    filters = torch.zeros(CELL_PX, 1, CELL_PX, CELL_PX)
    for phase in range(CELL_PX):
        filters[phase, 0, :, phase] = 1 / CELL_PX
    return filters.transpose(2, 3).contiguous() if transposed else filters


def to_cells(plane):
    return functional.avg_pool2d(plane, CELL_PX)


def smooth(features, side):
    return functional.avg_pool2d(features, side, stride=1, padding=side // 2, count_include_pad=False)


class ResidualTraces(nn.Module):
    """Noise and resampling: [N, 3, H, W] in levels to [N, width, H/8, W/8]."""

    def __init__(self):
        super().__init__()
        filters = make_stem_filters()
        self.register_buffer("filters", filters - filters.mean(dim=(2, 3), keepdim=True))
        self.width = 2 * len(filters) + len(CORRELATED) * len(SHIFTS) + 3

    def forward(self, levels):
        padded = functional.pad(levels, (STEM_SIDE // 2,) * 4, mode="replicate")
        residual = torch.clamp(functional.conv2d(padded, self.filters), -RESIDUAL_MAX, RESIDUAL_MAX)
        size = to_cells(residual.abs())
        square = to_cells(residual * residual)
        parts = [torch.log(size + 0.1), size * size / (square + 0.05)]
        chosen = residual[:, list(CORRELATED)]
        power = smooth(square[:, list(CORRELATED)], 3) + 0.05
        for down, right in SHIFTS:
            product = chosen[:, :, down:, right:] * chosen[:, :, : levels.shape[2] - down, : levels.shape[3] - right]
            product = functional.pad(product, (0, right, 0, down))
            parts.append(smooth(to_cells(product), 3) / power)
        for first, second in ((0, 6), (0, 8), (6, 8)):
            product = to_cells(residual[:, first : first + 1] * residual[:, second : second + 1])
            scale = torch.sqrt(square[:, first : first + 1] * square[:, second : second + 1]) + 0.05
            parts.append(smooth(product / scale, 3))
        return torch.cat(parts, dim=1)


class GridTraces(nn.Module):
    """How strong the edges between 8x8 blocks are, per phase: [N, 1, H, W] luma to [N, 32, H/8, W/8]."""

    width = 2 * CELL_PX * len(GRID_SMOOTHINGS)

    def __init__(self):
        super().__init__()
        self.register_buffer("third_x", torch.tensor([[[[1.0, -3.0, 3.0, -1.0]]]]))
        self.register_buffer("third_y", torch.tensor([[[[1.0], [-3.0], [3.0], [-1.0]]]]))
        self.register_buffer("columns", make_phase_filters(False))
        self.register_buffer("rows", make_phase_filters(True))

    def forward(self, luma):
        across = functional.conv2d(functional.pad(luma, (1, 2, 0, 0), mode="replicate"), self.third_x)
        down = functional.conv2d(functional.pad(luma, (0, 0, 1, 2), mode="replicate"), self.third_y)
        parts = []
        for steps, filters in ((across, self.columns), (down, self.rows)):
            by_phase = functional.conv2d(torch.clamp(steps.abs(), max=RESIDUAL_MAX), filters, stride=CELL_PX)
            for side in GRID_SMOOTHINGS:
                local = smooth(by_phase, side) + 0.1
                parts.append(torch.log(local) - torch.log(local.mean(dim=1, keepdim=True)))
        return torch.cat(parts, dim=1)


class CosineTraces(nn.Module):
    """Strength and periodicity of cosine coefficients: [N, 1, H, W] luma to [N, width, H/8, W/8]."""

    width = COEFFICIENT_COUNT * (1 + len(STEPS))

    def __init__(self):
        super().__init__()
        self.register_buffer("filters", make_cosine_filters(COEFFICIENT_COUNT))

    def forward(self, luma):
        coefficients = functional.conv2d(luma, self.filters, stride=CELL_PX)
        squares = coefficients * coefficients
        presence = squares / (squares + 2.0)
        total = smooth(presence, 3) + 0.05
        parts = [smooth(torch.log1p(coefficients.abs()), 3)]
        for step in STEPS:
            parts.append(smooth(presence * torch.cos(coefficients * (2 * math.pi / step)), 3) / total)
        return torch.cat(parts, dim=1)


class Traces(nn.Module):
    """Maps pixels float32 [N, 3, H, W] in 0..1 (RGB, sides multiples of 8, the JPEG grid's corner at the first
    pixel) to [N, width, H/8, W/8]. Without parameters. The last three say how bright a cell is, how much detail
    it has, and how much of it is clipped.
    """

    def __init__(self):
        super().__init__()
        self.residual, self.grid, self.cosine = ResidualTraces(), GridTraces(), CosineTraces()
        self.register_buffer("luma", torch.tensor(LUMA).view(1, 3, 1, 1))
        self.width = self.residual.width + self.grid.width + self.cosine.width + 3

    def forward(self, pixels):
        levels = pixels * LEVELS
        luma = (levels * self.luma).sum(dim=1, keepdim=True)
        mean = to_cells(luma)
        deviation = torch.sqrt(torch.clamp(to_cells(luma * luma) - mean * mean, min=0.0) + 0.01)
        clipped = to_cells((luma < DARK_LEVEL).float() + (luma > BRIGHT_LEVEL).float())
        return torch.cat([
            self.residual(levels), self.grid(luma), self.cosine(luma),
            mean / LEVELS, torch.log(deviation), clipped,
        ], dim=1)


def mirrored_channels(across):
    """Returns, for each trace of a mirrored picture, which trace of the picture itself it is.

    The third difference belongs to the edge after its second pixel, so phase k becomes 6 - k, and the edge
    between two cells stays itself. Diagonal neighbours are taken to depend on each other alike both ways.
    """
    residual, grid, cosine = ResidualTraces(), GridTraces, CosineTraces
    channels = list(range(residual.width + grid.width + cosine.width + 3))
    half = grid.width // 2
    start = residual.width + (0 if across else half)
    for block in range(start, start + half, CELL_PX):
        for phase in range(CELL_PX - 1):
            channels[block + phase] = block + CELL_PX - 2 - phase
    return channels
