"""Owns the head: a logistic regression of the body's plane means, standardised, by Newton's method."""

import numpy

PENALTY = 0.2
STEP_COUNT = 30
TOLERANCE = 1e-7


def to_probability(logits):
    return 1 / (1 + numpy.exp(-numpy.clip(logits, -30, 30)))


def fit_head(features, labels, weights, penalty=PENALTY):
    """Returns (weights, bias) on the features as they are; the penalty holds for standardised ones.

    `weights` sum to 1. Standardising is folded in, since the shipped head is one product and one sum.
    """
    mean = numpy.average(features, axis=0, weights=weights)
    spread = numpy.sqrt(numpy.average((features - mean) ** 2, axis=0, weights=weights)) + 1e-6
    design = numpy.concatenate([(features - mean) / spread, numpy.ones((len(features), 1))], axis=1)
    ridge = numpy.full(design.shape[1], 2 * penalty)
    ridge[-1] = 1e-9
    parameters = numpy.zeros(design.shape[1])
    for _ in range(STEP_COUNT):
        probabilities = to_probability(design @ parameters)
        gradient = design.T @ (weights * (probabilities - labels)) + ridge * parameters
        curvature = (design * (weights * probabilities * (1 - probabilities))[:, None]).T @ design
        step = numpy.linalg.solve(curvature + numpy.diag(ridge), gradient)
        parameters = parameters - step
        if numpy.abs(step).max() < TOLERANCE:
            break
    folded = parameters[:-1] / spread
    return folded, float(parameters[-1] - folded @ mean)
