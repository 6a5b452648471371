"""Owns the second detector: the statistics of a patch, standardised, clipped, and weighed by a logistic regression."""

import numpy
import torch
from torch import nn
from torch.nn import functional

from patch_statistics import PatchStatistics

CLIP = 4.0
"""Standard deviations: a statistic far outside of what was seen must not decide alone."""
SPREAD_MIN = 1e-4
PENALTY = 0.01
"""Of the mean loss, per squared weight; strong, since there are few sources."""
ITERATIONS_MAX = 300


class LinearHead(nn.Module):
    """Maps statistics [N, F] to logits [N]; positive means artificial."""

    def __init__(self, count):
        super().__init__()
        self.register_buffer("centre", torch.zeros(count))
        self.register_buffer("scale", torch.ones(count))
        self.linear = nn.Linear(count, 1)

    def standardise(self, statistics):
        return torch.clamp((statistics - self.centre) * self.scale, -CLIP, CLIP)

    def forward(self, statistics):
        return self.linear(self.standardise(statistics)).squeeze(1)


class StatisticsDetector(nn.Module):
    """Maps pixels [N, 3, H, W] in 0..1 to one logit per patch."""

    def __init__(self, head):
        super().__init__()
        self.statistics, self.head = PatchStatistics(), head

    def forward(self, pixels):
        return self.head(self.statistics(pixels))


def fit_head(features, is_artificial, weights, penalty=PENALTY):
    """Fits by L-BFGS; `weights` sum to one."""
    inputs, targets = torch.from_numpy(features), torch.from_numpy(is_artificial.astype(numpy.float32))
    weights = torch.from_numpy(weights.astype(numpy.float32))
    head = LinearHead(inputs.shape[1])
    head.centre.copy_(weights @ inputs)
    variance = weights @ (inputs - head.centre) ** 2
    head.scale.copy_(1 / (variance.sqrt() + SPREAD_MIN))
    standardised = head.standardise(inputs)
    for parameter in head.linear.parameters():
        nn.init.zeros_(parameter)
    optimiser = torch.optim.LBFGS(head.parameters(), max_iter=ITERATIONS_MAX, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        logits = head.linear(standardised).squeeze(1)
        losses = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
        loss = (weights * losses).sum() + penalty * (head.linear.weight**2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    return head.requires_grad_(False).eval()
