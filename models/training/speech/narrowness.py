"""Owns how narrow the band of a window is: lines of telephones end at 3.4 kHz, and scores shift there.

Calibration depends on it inside the graph, so that the appliance needs no tier of its own.
"""

import torch
from torch import nn

MIDDLE_HZ, UPPER_HZ = (1_200, 2_800), (4_200, 8_000)
CENTRE, SHARPNESS = -5.3, 1.5
"""Difference of the mean log powers, upper less middle, at which a band counts as half narrow."""


def to_narrowness(difference):
    """Returns 0 for a wide band to 1 for a narrow one."""
    return torch.sigmoid((CENTRE - difference) * SHARPNESS)


def subtract_means(levels, hertz):
    """Returns the mean level of the upper frequencies less that of the middle ones, [N], from levels [N, rows]."""
    upper = torch.tensor([UPPER_HZ[0] <= value <= UPPER_HZ[1] for value in hertz]).nonzero().squeeze(1)
    middle = torch.tensor([MIDDLE_HZ[0] <= value <= MIDDLE_HZ[1] for value in hertz]).nonzero().squeeze(1)
    return levels.index_select(1, upper).mean(dim=1) - levels.index_select(1, middle).mean(dim=1)


class Adjusted(nn.Module):
    """A pack's graph: raw logit, moved and scaled where the band is narrow; Platt's line follows outside."""

    def __init__(self, measuring, calibration):
        super().__init__()
        self.measuring = measuring
        self.scale_narrow = calibration["slopeNarrow"] / calibration["slope"]
        self.shift_narrow = calibration["interceptNarrow"] / calibration["slope"]

    def forward(self, sound):
        logit, narrowness = self.measuring.measure(sound)
        return logit + narrowness * (self.scale_narrow * logit + self.shift_narrow)
