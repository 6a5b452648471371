"""Owns what each medium counts for: a source with 250 pictures must not decide alone."""

import numpy


def weigh(sources, is_artificial, shares=None):
    """Each source weighs the square root of what it holds, both labels weigh the same; all weights sum to one.

    `shares` says what an item is of a picture (1 where it is one).
    """
    shares = numpy.ones(len(sources)) if shares is None else shares
    _, inverse = numpy.unique(sources, return_inverse=True)
    weights = shares / numpy.sqrt(numpy.bincount(inverse, shares)[inverse])
    for label in (False, True):
        weights[is_artificial == label] *= 0.5 / weights[is_artificial == label].sum()
    return weights
