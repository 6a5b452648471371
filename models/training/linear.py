"""Owns a detector's last step: features, standardised, clipped, and weighed by a logistic regression."""

import numpy
import torch
from torch import nn
from torch.nn import functional

CLIP = 5.0
"""Standard deviations: a feature far outside of what was seen must not decide alone."""
SPREAD_MIN = 1e-6
PENALTY = 0.003
"""Of the mean loss, per squared weight. Ten times more costs .014 of the AUC on left-out sources, three times less was not tried."""
ITERATIONS_MAX = 300


class LinearHead(nn.Module):
    """Maps features [N, F] to logits [N]; positive means artificial."""

    def __init__(self, count):
        super().__init__()
        self.register_buffer("centre", torch.zeros(count))
        self.register_buffer("scale", torch.ones(count))
        self.linear = nn.Linear(count, 1)

    def standardise(self, features):
        return torch.clamp((features - self.centre) * self.scale, -CLIP, CLIP)

    def forward(self, features):
        return self.linear(self.standardise(features)).squeeze(1)


def fit_head(features, is_artificial, weights, penalty=PENALTY):
    """Fits by L-BFGS; `weights` sum to one."""
    inputs, targets = torch.from_numpy(features), torch.from_numpy(is_artificial.astype(numpy.float32))
    weights = torch.from_numpy(weights.astype(numpy.float32))
    head = LinearHead(inputs.shape[1])
    head.centre.copy_(inputs.mean(dim=0))
    head.scale.copy_(1 / (inputs.std(dim=0) + SPREAD_MIN))
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
