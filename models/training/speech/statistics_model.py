"""Owns the model over statistics: standardised, clipped, one line."""

import torch
from torch import nn

from narrowness import subtract_means, to_narrowness
from statistics_features import BAND_COUNT, BAND_HZ

CLIP_AT = 4.0
DEVIATION_MIN = 1e-3


def to_member_file(work, fold):
    return work / f"statistics-{'all' if fold is None else fold}.pt"


class StatisticsMember(nn.Module):
    """Maps statistics [N, count] to one logit; positive means artificial."""

    def __init__(self, count):
        super().__init__()
        self.register_buffer("mean", torch.zeros(count))
        self.register_buffer("scale", torch.ones(count))
        self.line = nn.Linear(count, 1)
        nn.init.zeros_(self.line.weight)
        nn.init.zeros_(self.line.bias)

    def standardise_by(self, rows):
        self.mean.copy_(rows.mean(dim=0))
        self.scale.copy_(1 / rows.std(dim=0).clamp(min=DEVIATION_MIN))

    def standardise(self, rows):
        return ((rows - self.mean) * self.scale).clamp(-CLIP_AT, CLIP_AT)

    def forward(self, rows):
        return self.line(self.standardise(rows)).squeeze(1)


def measure_band(rows):
    """The statistics begin with the mean level of each band."""
    return to_narrowness(subtract_means(rows[:, :BAND_COUNT], BAND_HZ))


class StatisticsEnsemble(nn.Module):
    """Statistics of the window, then the mean of the members' logits."""

    def __init__(self, statistics, members):
        super().__init__()
        self.statistics = statistics
        self.members = nn.ModuleList(members)

    def forward(self, sound):
        return self.measure(sound)[0]

    def tell_apart(self, sound):
        """Returns the logit of each member and, last, how narrow the band is, [N, members + 1]."""
        rows = self.statistics(sound)
        return torch.stack([*(member(rows) for member in self.members), measure_band(rows)], dim=1)

    def measure(self, sound):
        """Returns the logit and how narrow the band is, each [N]."""
        rows = self.statistics(sound)
        return torch.stack([member(rows) for member in self.members], dim=1).mean(dim=1), measure_band(rows)


def load_member(work, fold):
    """Returns the model that left a fold out."""
    state = torch.load(to_member_file(work, fold), map_location="cpu")
    member = StatisticsMember(state["mean"].shape[0])
    member.load_state_dict(state)
    return member.eval()
