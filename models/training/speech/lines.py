"""Owns the lines over the encoder's statistics, one a layer: where they and the encoder's learning begin."""

from dataclasses import dataclass

import numpy
import torch

from encoder_graph import LAYERS, STATISTICS, WIDTH

CLIP_AT = 5.0
DEVIATION_MIN = 1e-4
LAYER_FEATURES = STATISTICS * WIDTH
INVERSE_PENALTIES = dict(zip(LAYERS, (0.003, 0.003, 0.001, 0.001)))
"""Of weights whose mean is one, chosen on owners left out."""
ITERATIONS_MAX = 300


@dataclass
class Heads:
    """Standardises and weighs features [N, layers × LAYER_FEATURES]: a line a layer."""

    means: numpy.ndarray
    scales: numpy.ndarray
    weights: numpy.ndarray
    biases: numpy.ndarray


def fit_line(features, is_artificial, inverse_penalty):
    """Returns (line, bias) of the logistic regression with half the line's square as penalty."""
    design = torch.from_numpy(numpy.ascontiguousarray(features, dtype=numpy.float32))
    sides = torch.from_numpy(numpy.where(is_artificial, 1.0, -1.0).astype(numpy.float32))
    line = torch.zeros(features.shape[1], requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.LBFGS([line, bias], max_iter=ITERATIONS_MAX, tolerance_grad=1e-4, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        losses = torch.nn.functional.softplus(-sides * (design @ line + bias))
        cost = inverse_penalty * losses.sum() + 0.5 * (line**2).sum()
        cost.backward()
        return cost

    optimiser.step(closure)
    return line.detach().numpy(), float(bias.detach())
