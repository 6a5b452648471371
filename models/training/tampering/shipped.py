"""Owns the graph that is shipped: the networks on one tile, calibrated, everything in one row."""

import torch
from torch import nn

from evidence_network import to_logit
from extract import SIDE_PX
from traces import CELL_PX, Traces

TILE_PX = SIDE_PX
"""As large as a training sample: most cells feel the border of what the network was trained on, and a larger tile
shifts its log-odds by a third and calls two of three authentic pictures edited."""


class Standardise(nn.Module):
    """A trained standardisation as plain arithmetic: the exporter does not see how many traces there are."""

    def __init__(self, trained):
        super().__init__()
        self.register_buffer("mean", trained.running_mean.view(1, -1, 1, 1).clone())
        self.register_buffer("scale", torch.rsqrt(trained.running_var + trained.eps).view(1, -1, 1, 1))

    def forward(self, traces):
        return (traces - self.mean) * self.scale


class Shipped(nn.Module):
    """Maps a tile, float32 [N, 3, TILE, TILE] in 0..1, to [N, 1 + 2 * cells]: the tile's log-odds, then the cells'
    log-odds of having been edited, row by row, then how far each can be trusted, as a logit.

    A picture's log-odds are the mean of its tiles': the most suspicious of many would accuse every large picture.
    """

    def __init__(self, networks, line, prior, cell_line):
        super().__init__()
        self.register_buffer("prior", torch.tensor(prior))
        self.traces = Traces()
        self.networks = nn.ModuleList(networks)
        for network in self.networks:
            network.standardise = Standardise(network.standardise)
        self.line, self.cell_line = tuple(line), tuple(cell_line)

    def forward(self, pixels):
        traces = self.traces(pixels)
        maps = [network.to_maps(traces) for network in self.networks]
        logit = sum(to_logit(evidence, weight) for evidence, weight, _, _ in maps) / len(maps)
        cells = sum(cells for _, _, cells, _ in maps) / len(maps)
        trust = sum(trust for _, _, _, trust in maps) / len(maps)
        tile = (logit * self.line[0] + self.line[1]).unsqueeze(1)
        cells = torch.flatten((cells - self.prior) * self.cell_line[0] + self.cell_line[1], 1)
        return torch.cat([tile, cells, torch.flatten(trust, 1)], dim=1)


def fill_up(pixels):
    """Fills the sides of a picture that are shorter than a tile with its mirror image, at a whole number of 8x8
    blocks: the appliance's rule. uint8 [H, W, 3]."""
    rows, columns = (to_mirrored(length) for length in pixels.shape[:2])
    return pixels[rows][:, columns]


def to_mirrored(length):
    """Returns where each pixel of a side comes from."""
    if length >= TILE_PX:
        return list(range(length))
    usable = length if length < CELL_PX else length - length % CELL_PX
    folded = [index % (2 * usable) for index in range(TILE_PX)]
    return [index if index < usable else 2 * usable - 1 - index for index in folded]
