"""Owns the lines over the encoder's statistics: one logistic regression a layer, each told in units of its own spread."""

from dataclasses import dataclass

import numpy
from sklearn.linear_model import LogisticRegression

from encoder_graph import LAYERS, STATISTICS, WIDTH

CLIP_AT = 5.0
DEVIATION_MIN = 1e-4
INVERSE_PENALTIES = dict(zip(LAYERS, (0.01, 0.01, 0.003, 0.003)))
"""Of weights whose mean is one. The later layers know more words, and are held shorter."""
ITERATIONS_MAX = 400
LAYER_FEATURES = STATISTICS * WIDTH


@dataclass
class Heads:
    """Standardises, clips and weighs features [N, layers × LAYER_FEATURES]; each layer's line is scaled to spread 1."""

    means: numpy.ndarray
    scales: numpy.ndarray
    weights: numpy.ndarray
    biases: numpy.ndarray

    def standardise(self, features):
        return numpy.clip((features - self.means) * self.scales, -CLIP_AT, CLIP_AT)

    def score_layers(self, features):
        """Returns the logit of each layer, [N, layers]."""
        parts = (self.standardise(features) * self.weights).reshape(len(features), len(LAYERS), LAYER_FEATURES)
        return parts.sum(axis=2) + self.biases

    def score(self, features):
        return self.score_layers(features).mean(axis=1)

    def scaled_by(self, deviations):
        """Returns the heads with each layer's logit divided by the spread of its left-out scores."""
        each = numpy.repeat(1 / deviations, LAYER_FEATURES)
        return Heads(self.means, self.scales, (self.weights * each).astype(numpy.float32),
                     (self.biases / deviations).astype(numpy.float32))


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
