"""Owns the lines over the encoder's statistics as they are applied: one a layer, each told in units of its own spread."""

from dataclasses import dataclass

import numpy

from encoder_graph import LAYERS, STATISTICS, WIDTH

CLIP_AT = 5.0
DEVIATION_MIN = 1e-4
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
