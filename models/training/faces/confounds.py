"""Owns what else could tell the labels apart: made the same for all, or measured alone."""

import numpy

from head import fit_head
from metrics import compare_auc, to_auc
from sources import FOLDS
from training import weigh_faces
from views import CONFOUNDS


def compare_confounds(portraits, logits):
    """How the AUC of the same faces changes when a confound is made the same for all."""
    arguments = portraits.is_artificial, portraits.weights, portraits.sources
    result = {}
    for name in CONFOUNDS:
        change, interval = compare_auc(logits["clean"], logits[name], *arguments)
        result[name] = {"auc": to_auc(logits[name], *arguments[:2]), "change": change, "interval": interval}
    return result


def score_sizes(portraits):
    """Returns out-of-fold scores from the sizes of picture and face alone, fitted and weighed as the head is."""
    sizes = numpy.log([[*face.picture, face.side] for face in portraits.faces])
    labels, scores = portraits.is_artificial.astype(float), numpy.empty(len(portraits.faces))
    for fold in FOLDS:
        kept = portraits.folds != fold
        weights = weigh_faces(portraits.faces, kept)[kept]
        head, bias = fit_head(sizes[kept], labels[kept], weights)
        own = sizes[kept] @ head + bias
        members = portraits.folds == fold
        scores[members] = (sizes[members] @ head + bias - own.mean()) / own.std()
    return scores


def measure_sizes(portraits):
    """AUC of the sizes alone: against all human portraits, and for pairs against their own frames."""
    scores, paired = score_sizes(portraits), portraits.is_paired
    return {
        "all": to_auc(scores, portraits.is_artificial, portraits.weights),
        "pairs": to_auc(scores[paired], portraits.is_artificial[paired], numpy.ones(int(paired.sum()))),
    }
