"""Owns the small networks over the encoder's statistics: one hidden layer, a few of different seeds, averaged.

They see the same standardised, clipped features as the lines, window by window; what a line cannot say (this spread, but only
with that mean) they can. Lines and networks err differently: together they hold better on owners that neither saw.
"""

from dataclasses import dataclass

import numpy
import torch
from torch import nn

WIDTH = 64
SEEDS = (1, 2, 3)
INPUT_DROPOUT, HIDDEN_DROPOUT = 0.5, 0.5
WEIGHT_DECAY = 0.1
LEARNING_RATE = 1e-3
EPOCHS = 6
BATCH = 256


@dataclass
class Network:
    """logit = relu(rows @ hidden + offsets) @ last + bias; the hidden parts of all seeds side by side."""

    hidden: numpy.ndarray
    offsets: numpy.ndarray
    last: numpy.ndarray
    bias: float

    def score(self, rows):
        return numpy.maximum(rows @ self.hidden + self.offsets, 0) @ self.last + self.bias

    def scaled_by(self, factor):
        return Network(self.hidden, self.offsets, (self.last * factor).astype(numpy.float32), self.bias * factor)


def fit_network(windows, is_artificial):
    """Fits on standardised windows [windows, features], which count alike."""
    parts = [_fit_one(windows, is_artificial, seed) for seed in SEEDS]
    count = len(parts)
    return Network(
        numpy.concatenate([part[0].weight.detach().numpy().T for part in parts], axis=1),
        numpy.concatenate([part[0].bias.detach().numpy() for part in parts]),
        numpy.concatenate([part[1].weight.detach().numpy()[0] / count for part in parts]).astype(numpy.float32),
        sum(float(part[1].bias) for part in parts) / count,
    )


def _fit_one(windows, is_artificial, seed):
    torch.manual_seed(seed)
    rows, labels = torch.from_numpy(windows), torch.from_numpy(is_artificial.astype(numpy.float32))
    first, last = nn.Linear(windows.shape[1], WIDTH), nn.Linear(WIDTH, 1)
    net = nn.Sequential(nn.Dropout(INPUT_DROPOUT), first, nn.ReLU(), nn.Dropout(HIDDEN_DROPOUT), last)
    optimiser = torch.optim.AdamW(net.parameters(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    for _ in range(EPOCHS * max(1, len(rows) // BATCH)):
        drawn = torch.randint(len(rows), (BATCH,))
        loss = nn.functional.binary_cross_entropy_with_logits(net(rows[drawn])[:, 0], labels[drawn])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return first, last
