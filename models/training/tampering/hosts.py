"""Owns which human crops are edited, and who donates what is pasted into them."""

import numpy

HOST_SIDE_PX = 192


class Hosts:
    """The full-size human crops of some folds, drawn by source: each weighs the square root of its size.

    Donors come from the same folds, so that nothing of a left-out source is ever pasted.
    """

    def __init__(self, collection, folds):
        self.collection = collection
        self.crops = [
            crop for crop in collection.in_folds(folds)
            if not crop.is_artificial and min(crop.height, crop.width) >= HOST_SIDE_PX
        ]
        self.sources = sorted({crop.source for crop in self.crops})
        if len(self.sources) < 2:
            raise SystemExit(f"folds {folds}: {len(self.sources)} human sources with crops of {HOST_SIDE_PX} px; 2 needed")
        self.crops_by_source = {source: [] for source in self.sources}
        for crop in self.crops:
            self.crops_by_source[crop.source].append(crop)
        weights = numpy.sqrt([len(self.crops_by_source[source]) for source in self.sources])
        self.weights = weights / weights.sum()

    def draw_source(self, rng):
        return self.sources[rng.choice(len(self.sources), p=self.weights)]

    def draw_crop(self, source, rng):
        crops = self.crops_by_source[source]
        return crops[rng.integers(len(crops))]

    def draw_donor(self, source, rng):
        """Returns the pixels of a crop of another source."""
        other = self.draw_source(rng)
        while other == source:
            other = self.draw_source(rng)
        return self.collection.read(self.draw_crop(other, rng))

    def draw_pair(self, rng):
        """Returns (host, donor), pixels uint8 [H, W, 3]."""
        source = self.draw_source(rng)
        return self.collection.read(self.draw_crop(source, rng)), self.draw_donor(source, rng)
