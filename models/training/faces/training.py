"""Owns what the head is fitted to: which faces, in which views, and how much each weighs."""

import numpy

from extract import read_features
from head import fit_head
from views import TIERS, VARIANTS

LEARNT = (*TIERS, *VARIANTS)
GROUP_SHARES = {
    (False, True): 0.25, (False, False): 0.25,
    (True, True): 0.3, (True, False): 0.2,
}
"""By (artificial, paired). Frames and the same frames swapped weigh about the same, or the head would learn to
tell collections apart: the size of the picture alone tells the fakes from the portraits of other collections."""


def weigh_faces(faces, kept):
    """Returns the weight of every face, 0 where it is not kept: a share per group, sources by the square root of size."""
    sources = numpy.array([f"{face.label}/{face.source}" for face in faces])
    weights = numpy.zeros(len(faces))
    for (is_artificial, is_paired), share in GROUP_SHARES.items():
        rows = kept & numpy.array([(face.is_artificial, face.is_paired) == (is_artificial, is_paired) for face in faces])
        if not rows.any():
            continue
        _, inverse, sizes = numpy.unique(sources[rows], return_inverse=True, return_counts=True)
        raw = sizes[inverse] ** -0.5
        weights[rows] = share * raw / raw.sum()
    return weights / weights.sum()


def train(work, faces, kept):
    """Returns the head fitted on the kept faces, each in all of the learnt views.

    Its scores are those of the kept human faces in standard deviations, or heads of
    different folds could not be compared.
    """
    weights = weigh_faces(faces, kept)
    labels = numpy.array([float(face.is_artificial) for face in faces])
    features = [read_features(work, name, len(faces))[kept] for name in LEARNT]
    joined = numpy.concatenate(features).astype(numpy.float64)
    shares = numpy.tile(weights[kept] / len(LEARNT), len(LEARNT))
    answers = numpy.tile(labels[kept], len(LEARNT))
    head, bias = fit_head(joined, answers, shares)
    scores, human = joined @ head + bias, answers == 0
    mean = numpy.average(scores[human], weights=shares[human])
    spread = numpy.sqrt(numpy.average((scores[human] - mean) ** 2, weights=shares[human]))
    return head / spread, (bias - mean) / spread
