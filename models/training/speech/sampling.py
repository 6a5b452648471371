"""Owns which clips training sees how often."""

import numpy

FAMILY_SHARES = {
    "tts": 0.40, "voice-conversion": 0.22, "vocoder": 0.14, "neural-codec": 0.14, "classic-tts": 0.10,
}
SOURCE_SIZE_POWER = 0.25
"""A source is drawn by this power of its size: nearly uniformly, but a single clip less often."""


class Sampler:
    """Draws clips: half of each label, artificial ones by family, then nearly uniformly by source."""

    def __init__(self, collection, members):
        self.sources = sorted(set(collection.sources[members]))
        index_by_source = {source: index for index, source in enumerate(self.sources)}
        self.source_of_clip = {index: index_by_source[collection.sources[index]] for index in members}
        self.members = {label: members[collection.is_artificial[members] == label] for label in (False, True)}
        self.shares = {label: self.weigh(collection, label) for label in (False, True)}

    def weigh(self, collection, label):
        members = self.members[label]
        sources, inverse, sizes = numpy.unique(collection.sources[members], return_inverse=True, return_counts=True)
        weights = (sizes[inverse] ** (SOURCE_SIZE_POWER - 1)).astype(float)
        if label:
            families = numpy.array([collection.rows[index]["family"] for index in members])
            for family in set(families):
                mask = families == family
                weights[mask] *= FAMILY_SHARES.get(family, 0.1) / weights[mask].sum()
        return weights / weights.sum()

    def draw(self, count, rng):
        """Returns clip numbers, the labels taking turns, and the numbers of their sources."""
        halves = [rng.choice(self.members[label], count // 2, p=self.shares[label]) for label in (False, True)]
        indices = numpy.stack(halves, axis=1).ravel()
        return indices, numpy.array([self.source_of_clip[index] for index in indices])
