"""Owns which pictures the detectors must not be asked about; the appliance measures and refuses alike.

On a flat picture, on noise, and on what is drawn in flat colours the detectors say
"human" with all their might: there is nothing in it that they learnt, and no
generator's picture among their data is like it.
"""

from functools import cache

import numpy

from scoring import cut_views

REFUSAL = {"lumaVarianceMin": 4, "neighbourCorrelationMin": 0.2, "equalShareMax": 0.8}
"""As in model.json. Of the patches that are scored."""
LUMA = numpy.array([0.299, 0.587, 0.114])


def measure_texture(pixels):
    """Returns (variance, correlation of neighbours, share of equal neighbours) over the patches of uint8 [H, W, 3]."""
    squares = products = 0.0
    count = pairs = equal = 0
    for view in cut_views(pixels):
        luma = view @ LUMA
        luma = luma - luma.mean()
        squares += float((luma**2).sum())
        products += float((luma[:, :-1] * luma[:, 1:]).sum())
        equal += int((view[:, :-1] == view[:, 1:]).all(axis=2).sum())
        count += luma.size
        pairs += luma[:, 1:].size
    variance = squares / count
    correlation = 0.0 if variance == 0 else products / pairs / variance
    return variance, max(-1.0, min(1.0, correlation)), equal / pairs


def is_refused(pixels):
    variance, correlation, equal = measure_texture(pixels)
    return (
        variance < REFUSAL["lumaVarianceMin"] or correlation < REFUSAL["neighbourCorrelationMin"]
        or equal > REFUSAL["equalShareMax"]
    )


@cache
def find_refused(collection):
    """Returns the mask of crops of a collection that are refused as found; takes some ten seconds, once."""
    return numpy.array([is_refused(collection.read(crop)) for crop in collection.crops])
