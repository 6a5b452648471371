"""Owns the lines and networks over the encoder that are fitted on the collection at hand and on the corpus' inside harvest.

Every row is a file in a tier, made by the evaluation's own code. A row's logit is the mean over its windows: what the appliance
answers. Folds are of owners: what measures an owner has seen nothing of that owner.
"""

import csv
import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch

from encoder_graph import LAYERS
from lines import CLIP_AT, DEVIATION_MIN, LAYER_FEATURES, Heads
from heard_files import TIERS, HeardFiles, read_heard_files
from scoring import weigh

sys.path.append(str(Path(__file__).parent.parent))
sys.path.append(str(Path(__file__).parent.parent / "corpus"))
from manifests import read_manifest  # noqa: E402
from metrics import to_auc  # noqa: E402
from network import fit_network  # noqa: E402
from owners import owner_of  # noqa: E402

FOLD_COUNT = 5
SPEECH_SECONDS_MIN = 1.0
INVERSE_PENALTIES = dict(zip(LAYERS, (0.003, 0.003, 0.001, 0.001)))
"""Of weights whose mean is one: a third of those that the collection at hand alone wanted, chosen on owners left out."""
ITERATIONS_MAX = 300


@dataclass
class Rows:
    """Files in tiers: of both collections, or of some of them."""

    heard: HeardFiles
    is_artificial: numpy.ndarray
    sources: numpy.ndarray
    owners: numpy.ndarray
    """`label/owner` of the corpus, `label/source` of the collection at hand: what is left out together."""
    is_corpus: numpy.ndarray
    languages: numpy.ndarray

    @property
    def tiers(self):
        return self.heard.tiers


def read_rows(heard_folder, data):
    """Returns the rows of the collection at hand (base) and of the corpus (inside), one after the other."""
    parts = [read_heard_files(heard_folder, name, SPEECH_SECONDS_MIN) for name in ("base", "inside")]
    with open(data / "files.tsv", newline="", encoding="utf-8") as stream:
        base = {row["file"]: (row["label"], row["source"], row["source"], "unknown") for row in csv.DictReader(stream, delimiter="\t")}
    corpus = {
        row["file"]: (row["label"], row["source"], owner_of(row["repository"]), row["language"])
        for row in read_manifest("speech") if row["harvest"] == "inside"
    }
    known = [base[file] for file in parts[0].files]
    # What is no longer in the manifest was dropped after it was heard.
    kept = numpy.array([file in corpus for file in parts[1].files])
    described = [*known, *(corpus.get(file, ("human", "dropped", "dropped", "")) for file in parts[1].files)]
    heard = HeardFiles(
        [*parts[0].files, *parts[1].files], *(numpy.concatenate([getattr(part, name) for part in parts]) for name in ("tiers", "speech_seconds", "statistics", "windows")),
        numpy.concatenate([parts[0].owners, parts[1].owners + len(parts[0].files)]),
        numpy.concatenate([parts[0].places, parts[1].places]),
    )
    rows = Rows(
        heard, numpy.array([label == "artificial" for label, *_ in described]),
        numpy.array([f"{label}/{source}" for label, source, *_ in described]),
        numpy.array([f"{label}/{owner}" for label, _, owner, _ in described]),
        numpy.arange(len(described)) >= len(known), numpy.array([language for *_, language in described]),
    )
    return rows, numpy.concatenate([numpy.ones(len(known), dtype=bool), kept])


def to_folds(rows):
    """Returns a fold per row. The SHA-256 of the owner's name decides; the two labels of one owner lie in one fold."""
    names = [owner.split("/", 1)[1] for owner in rows.owners]
    return numpy.array([hashlib.sha256(f"voices:{name}".encode()).digest()[0] % FOLD_COUNT for name in names])


def to_shares(rows, members):
    """A source weighs by the root of its files, both labels the same, tiers alike."""
    return weigh(rows.sources[members], rows.is_artificial[members])


def fit_line(features, is_artificial, weights, inverse_penalty):
    """Returns (line, bias) of the weighted logistic regression with half the line's square as penalty."""
    design, shares = torch.from_numpy(numpy.ascontiguousarray(features, dtype=numpy.float32)), torch.from_numpy(weights.astype(numpy.float32))
    sides = torch.from_numpy(numpy.where(is_artificial, 1.0, -1.0).astype(numpy.float32))
    line = torch.zeros(features.shape[1], requires_grad=True)
    bias = torch.zeros(1, requires_grad=True)
    optimiser = torch.optim.LBFGS([line, bias], max_iter=ITERATIONS_MAX, tolerance_grad=1e-4, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        losses = torch.nn.functional.softplus(-sides * (design @ line + bias))
        cost = inverse_penalty * (shares * losses).sum() + 0.5 * (line**2).sum()
        cost.backward()
        return cost

    optimiser.step(closure)
    return line.detach().numpy(), float(bias.detach())


class Standard:
    """The features in units of their spread, clipped as the graph does it, averaged over each row's windows."""

    def __init__(self, rows, members):
        inside = numpy.zeros(len(rows.sources), dtype=bool)
        inside[members] = True
        windows = rows.heard.windows[inside[rows.heard.owners]]
        self.means = windows.mean(axis=0)
        self.scales = 1 / numpy.maximum(windows.std(axis=0), DEVIATION_MIN)

    def apply(self, windows):
        return numpy.clip((windows - self.means) * self.scales, -CLIP_AT, CLIP_AT).astype(numpy.float32)


def fit_heads(rows, standard, averaged, members, penalties=None, weights=None):
    """Returns Heads fitted on some rows, one line a layer."""
    weights = to_shares(rows, members) if weights is None else weights
    weights = weights / weights.mean()
    lines, biases = [], []
    for number, layer in enumerate(LAYERS):
        own = averaged[members, number * LAYER_FEATURES : (number + 1) * LAYER_FEATURES]
        line, bias = fit_line(own, rows.is_artificial[members], weights, (penalties or INVERSE_PENALTIES)[layer])
        lines.append(line)
        biases.append(bias)
    return Heads(standard.means.astype(numpy.float32), standard.scales.astype(numpy.float32),
                 numpy.concatenate(lines).astype(numpy.float32), numpy.array(biases, dtype=numpy.float32))


def score_layers(heads, averaged):
    """Returns [rows, layers] logits of averaged standardised features."""
    return (averaged * heads.weights).reshape(len(averaged), len(LAYERS), LAYER_FEATURES).sum(axis=2) + heads.biases


class Fitted:
    """Lines and networks, fitted on some rows."""

    def __init__(self, rows, standard, averaged, windows, members):
        self.lines = fit_heads(rows, standard, averaged, members)
        shares = numpy.zeros(len(rows.sources))
        shares[members] = to_shares(rows, members)
        counts = numpy.bincount(rows.heard.owners, minlength=len(rows.sources))
        of_window = (shares / numpy.maximum(counts, 1))[rows.heard.owners]
        kept = of_window > 0
        self.network = fit_network(windows[kept], rows.is_artificial[rows.heard.owners][kept], of_window[kept])

    def score(self, averaged, windows, heard):
        """Returns [rows, layers + 1]: the logit of each line, and of the networks."""
        network = heard.average(self.network.score(windows)[:, None])
        return numpy.concatenate([score_layers(self.lines, averaged), network], axis=1)


def combine(scores, deviations):
    """The mean of the lines in units of their spread, and the networks in units of theirs, half and half."""
    units = scores / deviations
    return (units[:, :-1].mean(axis=1) + units[:, -1]) / 2


def score_other_folds(rows, usable, folds, standard, averaged, windows):
    """Rows × (LAYERS + 1): the score of each row by the lines and the networks that learnt from the other folds."""
    scores = numpy.zeros((len(rows.sources), len(LAYERS) + 1))
    for fold in range(FOLD_COUNT):
        fitted = Fitted(rows, standard, averaged, windows, numpy.nonzero(usable & (folds != fold))[0])
        test = folds == fold
        scores[test] = fitted.score(averaged, windows, rows.heard)[test]
        print(f"without fold {fold}", flush=True)
    return scores


def fit_all(rows, usable):
    """Returns (left-out logits of every row, Standard, the Fitted on all, the deviations that scale its parts)."""
    folds = to_folds(rows)
    standard = Standard(rows, numpy.nonzero(usable)[0])
    windows = standard.apply(rows.heard.windows)
    averaged = rows.heard.average(windows)
    scores = score_other_folds(rows, usable, folds, standard, averaged, windows)
    deviations = scores[usable].std(axis=0)
    fitted = Fitted(rows, standard, averaged, windows, numpy.nonzero(usable)[0])
    return combine(scores, deviations), standard, fitted, deviations


def describe(rows, scores, mask, name):
    aucs = []
    for tier in range(len(TIERS)):
        kept = mask & (rows.tiers == tier) & numpy.isfinite(scores)
        aucs.append(to_auc(scores[kept], rows.is_artificial[kept], weigh(rows.sources[kept], rows.is_artificial[kept])))
    print(f"{name}: AUC", *(f"{tier} {value:.3f}" for tier, value in zip(TIERS, aucs)), flush=True)
    return aucs
