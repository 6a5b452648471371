"""Owns the face network: the image network's body, and a head that compares the face with its surroundings.

A swapped face differs from what is around it; a generated one does not, but
differs from real ones everywhere. So the head sees the mean features of the
middle, of the ring where blending ends, and of the rest.
"""

import sys
from pathlib import Path

import torch
from torch import nn

sys.path.append(str(Path(__file__).parents[1]))

from network import BODY, ResidualNetwork  # noqa: E402

from views import MARGIN, SIDE  # noqa: E402

LOWER_STAGES = 2
"""Stages that stay as the image network has them; what is below their map costs most and overfits first."""
MAP_SIDE = SIDE // 2 ** len(BODY)
HIDDEN = 48
RING = (0.75, 1.3)
"""Where the ring begins and ends, in half sides of the face box."""


def make_zones():
    """Returns weights float32 [3, 1, MAP_SIDE, MAP_SIDE], each summing to 1: middle, ring, surroundings."""
    steps = (torch.arange(MAP_SIDE) + 0.5) / MAP_SIDE * 2 - 1
    distance = (steps[:, None] ** 2 + steps[None, :] ** 2).sqrt() * MARGIN
    zones = [distance < RING[0], (distance >= RING[0]) & (distance < RING[1]), distance >= RING[1]]
    return torch.stack([zone.float() / zone.sum() for zone in zones]).unsqueeze(1)


def to_pixels(views):
    """Turns uint8 [N, H, W, 3] into float32 [N, 3, H, W] in 0..1."""
    return torch.from_numpy(views).permute(0, 3, 1, 2).float().div_(255)


class FaceNetwork(nn.Module):
    """Maps pixels float32 [N, 3, SIDE, SIDE] in 0..1 (RGB) to one logit per face; positive means forged."""

    LOWER_SHAPE = (BODY[LOWER_STAGES - 1][0], SIDE >> LOWER_STAGES, SIDE >> LOWER_STAGES)

    def __init__(self):
        super().__init__()
        base = ResidualNetwork()
        self.stem, self.body = base.stem, base.body
        self.register_buffer("zones", make_zones())
        self.dropout = nn.Dropout(0.3)
        self.hidden = nn.Linear(3 * base.feature_width, HIDDEN)
        self.head = nn.Linear(HIDDEN, 1)

    def to_lower(self, pixels):
        """Returns the map of the frozen stages, float32 [N, *LOWER_SHAPE]."""
        return self.body[:LOWER_STAGES](self.stem(pixels))

    def judge_lower(self, lower):
        features = self.body[LOWER_STAGES:](lower)
        middle, ring, rest = ((features * zone).sum(dim=(2, 3)) for zone in self.zones)
        joined = torch.cat([middle, ring - middle, rest - middle], dim=1)
        return self.head(torch.relu(self.hidden(self.dropout(joined)))).squeeze(1)

    def forward(self, pixels):
        return self.judge_lower(self.to_lower(pixels))

    def start_from(self, image_state):
        """Takes the stem and body of a trained image network."""
        kept = {name: value for name, value in image_state.items() if not name.startswith("head.")}
        self.load_state_dict(kept, strict=False)

    def to_upper_parameters(self):
        """What is trained."""
        return [*self.body[LOWER_STAGES:].parameters(), *self.hidden.parameters(), *self.head.parameters()]
