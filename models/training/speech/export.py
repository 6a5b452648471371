"""Stage 7: writes the ONNX files of both packs with golden logits, and the packs of each fold.

The packs are made in WORK/pack-<key>; the card stage adds what was measured. The appliance recomputes the golden
logits whenever it opens a session, on every device. With --folds FOLDER also FOLDER/fold-N/<pack>: what left fold N
out, to be measured on the sources of that fold (FOLDER/folds.tsv), never to be installed.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy
import torch
from onnx import helper

from encoder_graph import FEATURES, SOUND, Builder, drop_unused, make_features_graph, write_model
from lines import CLIP_AT, LAYER_FEATURES
from encoder_train import ALL, load_heads
from golden import make_golden_windows, run_graph, to_rounded
from packs import PACKS, load_adjusted_statistics
from parity import make_windows
from splits import FOLD_COUNT

MODEL_FILE = "model.onnx"
GOLDEN_FILE = "golden.json"
PARITY_FILE = "parity.json"
OPSET = 17
LOGIT = "logit"


def to_pack_folder(work, key):
    return work / f"pack-{key}"


def add_heads(graph, heads):
    """Adds the lines behind the features: the graph's output becomes the mean of the layers' logits."""
    builder = Builder(graph)
    layers = len(heads.biases)
    lines = numpy.repeat(numpy.eye(layers, dtype=numpy.float32), LAYER_FEATURES, axis=0) * heads.weights[:, None]
    for name, value in (
        ("means", heads.means), ("scales", heads.scales), ("lines", lines.mean(axis=1, keepdims=True)),
        ("bias", heads.biases.mean(keepdims=True)), ("least", numpy.float32(-CLIP_AT)), ("most", numpy.float32(CLIP_AT)),
    ):
        builder.constant(f"heads/{name}", numpy.asarray(value, dtype=numpy.float32))
    builder.constant("heads/column", numpy.array([1], dtype=numpy.int64))
    centred = builder.add("Sub", [FEATURES, "heads/means"], "heads/centred")
    scaled = builder.add("Mul", [centred, "heads/scales"], "heads/scaled")
    clipped = builder.add("Clip", [scaled, "heads/least", "heads/most"], "heads/clipped")
    product = builder.add("MatMul", [clipped, "heads/lines"], "heads/product")
    raised = builder.add("Add", [product, "heads/bias"], "heads/raised")
    builder.add("Squeeze", [raised, "heads/column"], LOGIT)
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(LOGIT, 1, ["count"]))


def write_encoder(work, encoder, path, key=ALL):
    graph = make_features_graph(encoder, PACKS["encoder"].window_samples)
    add_heads(graph, load_heads(work)[key])
    drop_unused(graph)
    write_model(graph, path)


def write_statistics(work, path, fold=None):
    torch.onnx.export(
        load_adjusted_statistics(work, fold), torch.zeros(2, PACKS["statistics"].window_samples), path,
        opset_version=OPSET, input_names=[SOUND], output_names=[LOGIT],
        dynamic_axes={SOUND: {0: "count"}, LOGIT: {0: "count"}},
    )


def score_encoder(work, node, windows):
    """Training's own words on windows: the features of the graph without heads, weighed by the code that fitted them."""
    features = run_graph(node, work / "encoder-features.onnx", windows)
    rows = numpy.array(features, dtype=numpy.float32).reshape(len(windows), -1)
    return load_heads(work)[ALL].score(rows)


@torch.no_grad()
def score_statistics(work, windows):
    return load_adjusted_statistics(work)(torch.from_numpy(windows)).numpy()


def make_scorers(work, node):
    """Returns {key of a pack: training's own words on windows}."""
    return {"encoder": lambda windows: score_encoder(work, node, windows), "statistics": lambda windows: score_statistics(work, windows)}


def export(work, encoder, node):
    scorers = make_scorers(work, node)
    for key, pack in PACKS.items():
        folder = to_pack_folder(work, key)
        folder.mkdir(exist_ok=True)
        if key == "encoder":
            write_encoder(work, encoder, folder / MODEL_FILE)
        else:
            write_statistics(work, folder / MODEL_FILE)
        golden = to_rounded(scorers[key](make_golden_windows(pack.window_samples)))
        digest = hashlib.sha256((folder / MODEL_FILE).read_bytes()).hexdigest()
        (folder / GOLDEN_FILE).write_text(json.dumps({"sha256": digest, "expected": golden}), encoding="utf-8")
        described, windows = make_windows(pack.window_samples)
        parity = {"sound": {**described, "logits": to_rounded(scorers[key](windows))}}
        (folder / PARITY_FILE).write_text(json.dumps(parity) + "\n", encoding="utf-8")
        print(f"{key}: golden logits {golden}", flush=True)


def write_fold_packs(work, encoder, node, folder):
    """Writes the files of each fold's packs; the card stage describes them."""
    for fold in range(FOLD_COUNT):
        for key, pack in PACKS.items():
            own = folder / f"fold-{fold}" / pack.id
            own.mkdir(parents=True, exist_ok=True)
            if key == "encoder":
                write_encoder(work, encoder, own / MODEL_FILE, fold)
            else:
                write_statistics(work, own / MODEL_FILE, fold)
            golden = to_rounded(run_graph(node, own / MODEL_FILE, make_golden_windows(pack.window_samples)))
            digest = hashlib.sha256((own / MODEL_FILE).read_bytes()).hexdigest()
            (own / GOLDEN_FILE).write_text(json.dumps({"sha256": digest, "expected": golden}), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True, help="encoder_model.onnx of @usefulsensors/moonshine-js")
    parser.add_argument("--node", default="node", help="Node.js 24, with the repository's packages")
    parser.add_argument("--folds", type=Path, help="folder for the packs of the folds")
    arguments = parser.parse_args()
    export(arguments.work, arguments.encoder, arguments.node)
    if arguments.folds:
        write_fold_packs(arguments.work, arguments.encoder, arguments.node, arguments.folds)
