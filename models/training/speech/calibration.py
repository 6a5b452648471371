"""Owns what turns a mean logit into log-odds: a line, and a floor under the probability. Pure."""

import numpy
import torch

FLOOR_MAX = 0.4
FLOOR_LEAST = 1e-12
ITERATIONS_MAX = 200
DIGITS = 6


def fit_calibration(logits, is_artificial, weights):
    """Returns {slope, intercept, floor} of the greatest likelihood, rounded to DIGITS.

    Some artificial speech scores as human as any recording; the floor says so, where a
    line alone would grow ever surer of what it merely does not hear.
    """
    values, targets = torch.from_numpy(numpy.asarray(logits, dtype=numpy.float64)), torch.from_numpy(is_artificial)
    shares = torch.from_numpy(weights / weights.sum())
    parameters = torch.tensor([1.0, 0.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([parameters], max_iter=ITERATIONS_MAX, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        floor = FLOOR_MAX * torch.sigmoid(parameters[2])
        probabilities = floor + (1 - floor) * torch.sigmoid(parameters[0] * values + parameters[1])
        loss = -(shares * torch.log(torch.where(targets, probabilities, 1 - probabilities))).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    slope, intercept, floor = parameters.detach()
    return to_rounded({"slope": slope, "intercept": intercept, "floor": FLOOR_MAX * torch.sigmoid(floor)})


def to_log_odds(logits, calibration):
    line, floor = calibration["slope"] * numpy.asarray(logits) + calibration["intercept"], calibration["floor"]
    return numpy.logaddexp(line, numpy.log(max(floor, FLOOR_LEAST))) - numpy.log1p(-floor)


def to_rounded(values):
    return {name: round(float(value), DIGITS) for name, value in values.items()}
