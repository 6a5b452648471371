"""Owns which pictures the detectors must not be asked about; the appliance measures and refuses alike.

On a flat picture, on noise, and on what is drawn in flat colours there is nothing that the
detectors learnt, and no generator's picture among their data is like it.
"""

import numpy

REFUSAL = {"lumaVarianceMin": 4, "neighbourCorrelationMin": 0.2, "equalShareMax": 0.8}
"""As in model.json. Of the patches that are looked at."""
LUMA = numpy.array([0.299, 0.587, 0.114])


def measure_texture(patches):
    """Returns (variance, correlation of neighbours, share of equal neighbours) over patches uint8 [N, H, W, 3]."""
    squares = products = 0.0
    count = pairs = equal = 0
    for patch in patches:
        luma = patch @ LUMA
        luma = luma - luma.mean()
        squares += float((luma**2).sum())
        products += float((luma[:, :-1] * luma[:, 1:]).sum())
        equal += int((patch[:, :-1] == patch[:, 1:]).all(axis=2).sum())
        count += luma.size
        pairs += luma[:, 1:].size
    variance = squares / count
    correlation = 0.0 if variance == 0 else products / pairs / variance
    return variance, max(-1.0, min(1.0, correlation)), equal / pairs


def is_refused(texture):
    variance, correlation, equal = texture
    return (
        variance < REFUSAL["lumaVarianceMin"] or correlation < REFUSAL["neighbourCorrelationMin"]
        or equal > REFUSAL["equalShareMax"]
    )
