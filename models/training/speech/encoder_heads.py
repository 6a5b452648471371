"""Owns how the lines over the encoder's statistics are fitted: one logistic regression a layer."""

import numpy
from sklearn.linear_model import LogisticRegression

from encoder_graph import LAYERS
from lines import CLIP_AT, DEVIATION_MIN, LAYER_FEATURES, Heads

INVERSE_PENALTIES = dict(zip(LAYERS, (0.01, 0.01, 0.003, 0.003)))
"""Of weights whose mean is one. The later layers know more words, and are held shorter."""
ITERATIONS_MAX = 400


def average_rows(features, shares):
    return (features * (shares / shares.sum())[:, None]).sum(axis=0)


def fit_heads(features, is_artificial, shares):
    """Fits one line a layer; `shares` weigh the rows."""
    weights = shares / shares.mean()
    means = average_rows(features, weights)
    deviations = numpy.sqrt(average_rows((features - means) ** 2, weights))
    scales = 1 / numpy.maximum(deviations, DEVIATION_MIN)
    rows = numpy.clip((features - means) * scales, -CLIP_AT, CLIP_AT).astype(numpy.float32)
    lines, biases = [], []
    for number, layer in enumerate(LAYERS):
        model = LogisticRegression(C=INVERSE_PENALTIES[layer], max_iter=ITERATIONS_MAX)
        own = rows[:, number * LAYER_FEATURES : (number + 1) * LAYER_FEATURES]
        model.fit(own, is_artificial, sample_weight=weights)
        lines.append(model.coef_[0])
        biases.append(model.intercept_[0])
    return Heads(*(numpy.asarray(part, dtype=numpy.float32) for part in (means, scales, numpy.concatenate(lines), biases)))
