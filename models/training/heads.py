"""Owns the transformer's heads: one regression per tap, on crops in several states and on patches of whole pictures.

Whole pictures bring what crops lack: borders, blur, and pieces that a maker would not have cut out.
"""

import numpy
import torch
from torch import nn

from extract import CROP_PARTS, part_path
from linear import LinearHead, fit_head
from vision_transformer import FEATURES_PER_TAP, TAPS
from weights import weigh

WHOLE_SHARE = 0.25
"""Of the weight in learning: there are fewer whole pictures, of the same sources."""
DOUBTFUL_SOURCES = ("omini-flux-edit",)
"""Published as input and output side by side: a crop may show the half that no generator made."""


class TransformerHeads(nn.Module):
    """Maps features of all taps [N, F] to logits [N]: the mean of the taps' regressions, each over its deviation."""

    def __init__(self, heads, deviations):
        super().__init__()
        self.heads = nn.ModuleList(heads)
        self.register_buffer("deviations", torch.tensor(deviations, dtype=torch.float32))

    def forward(self, features):
        parts = features.split(FEATURES_PER_TAP, dim=1)
        logits = [head(part) / deviation for head, part, deviation in zip(self.heads, parts, self.deviations)]
        return torch.stack(logits).mean(dim=0)


class LearningData:
    """Everything that heads learn from, in memory once: rows of features with label, fold and weight's parts."""

    def __init__(self, work_folder, collection, pictures):
        self.collection, self.pictures = collection, pictures
        self.crop_features = [numpy.load(part_path(work_folder, part)) for part in CROP_PARTS]
        self.patch_features = numpy.load(part_path(work_folder, "whole"))
        self.owners = to_owners(pictures)

    def choose_crops(self, folds):
        return numpy.array([
            index for index, crop in enumerate(self.collection.crops)
            if crop.fold in folds and crop.source not in DOUBTFUL_SOURCES
        ])

    def weigh_crops(self, rows):
        crops = [self.collection.crops[row] for row in rows]
        labels = numpy.array([crop.is_artificial for crop in crops])
        return labels, weigh(numpy.array([f"{crop.label}/{crop.source}" for crop in crops]), labels)

    def weigh_patches(self, folds):
        """Returns (rows, labels, weights); a picture's weight is shared by its patches, in all tiers."""
        chosen = numpy.array([picture.fold in folds for picture in self.pictures])
        rows = numpy.nonzero(chosen[self.owners])[0]
        pictures = [self.pictures[owner] for owner in self.owners[rows]]
        labels = numpy.array([picture.is_artificial for picture in pictures])
        shares = 1 / numpy.array([picture.count for picture in pictures])
        sources = numpy.array([f"{picture.label}/{picture.source}" for picture in pictures])
        return rows, labels, weigh(sources, labels, shares)


def to_owners(pictures):
    """Returns the index of the picture of each patch."""
    return numpy.repeat(numpy.arange(len(pictures)), [picture.count for picture in pictures])


def fit_heads(data, folds):
    """Returns the heads that learnt from these folds alone."""
    crops = data.choose_crops(folds)
    crop_labels, crop_weights = data.weigh_crops(crops)
    rows, patch_labels, patch_weights = data.weigh_patches(folds)
    states = len(data.crop_features)
    labels = numpy.concatenate([numpy.tile(crop_labels, states), patch_labels])
    weights = numpy.concatenate([
        numpy.tile(crop_weights, states) / states * (1 - WHOLE_SHARE), patch_weights * WHOLE_SHARE,
    ])
    heads, deviations = [], []
    for tap in range(len(TAPS)):
        part = slice(tap * FEATURES_PER_TAP, (tap + 1) * FEATURES_PER_TAP)
        crop_parts = [features[crops, part] for features in data.crop_features]
        inputs = numpy.concatenate([*crop_parts, data.patch_features[rows, part]]).astype(numpy.float32)
        head = fit_head(inputs, labels, weights)
        heads.append(head)
        deviations.append(float(head(torch.from_numpy(crop_parts[0].astype(numpy.float32))).std()))
    return TransformerHeads(heads, deviations)


def load_heads(path):
    state = torch.load(path)
    empty = [LinearHead(FEATURES_PER_TAP) for _ in TAPS]
    heads = TransformerHeads(empty, [1.0] * len(TAPS))
    heads.load_state_dict(state)
    return heads.requires_grad_(False).eval()
