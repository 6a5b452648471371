"""Stage 4: writes head.json and model.onnx, which maps pictures [batch, 3, 224, 224] to probabilities of the media: the shipped content
model's first layers with this head in place of its own. Checks that the graph says what the head says of a picture.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, utils

sys.path.insert(0, str(Path(__file__).resolve().parent))
from view import FEATURE_COUNT, SIDE, find_features, open_body  # noqa: E402

DIGITS = 6
TOLERANCE = 1e-3


def read_head(path):
    stored = numpy.load(path)
    if str(stored["input"]) != "view":
        raise SystemExit(f"expected a head on the view alone, found {stored['input']}")
    return [str(medium) for medium in stored["media"]], stored["weights"], stored["bias"]


def write_json(path, media, weights, bias):
    def rounded(values):
        return [float(f"{value:.{DIGITS}g}") for value in values]

    body = {"media": media, "side": SIDE, "bias": rounded(bias), "weights": {medium: rounded(column) for medium, column in zip(media, weights.T)}}
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")


def join(path, weights, bias):
    """Returns the model: layers up to the averages, then one product and a softmax."""
    model = onnx.load(path)
    name = find_features(model)
    model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", FEATURE_COUNT]))
    body = utils.Extractor(model).extract_model(["pixels"], [name])
    body.graph.initializer.extend([numpy_helper.from_array(part.astype(numpy.float32), f"medium.{part_name}") for part_name, part in (("weights", weights), ("bias", bias))])
    body.graph.node.append(helper.make_node("Gemm", [name, "medium.weights", "medium.bias"], ["medium.logits"]))
    body.graph.node.append(helper.make_node("Softmax", ["medium.logits"], ["probabilities"], axis=1))
    del body.graph.output[:]
    body.graph.output.append(helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", len(bias)]))
    onnx.checker.check_model(body)
    return body.SerializeToString()


def check(made, path, weights, bias):
    view = numpy.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), dtype=numpy.uint8)
    logits = open_body(path)(view) @ weights + bias
    expected = numpy.exp(logits - logits.max()) / numpy.exp(logits - logits.max()).sum()
    session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
    found = session.run(None, {"pixels": view.transpose(2, 0, 1)[None].astype(numpy.float32) / 255})[0][0]
    if numpy.abs(found - expected).max() > TOLERANCE:
        raise SystemExit(f"the graph says {found}, the head {expected}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", type=Path, required=True, help="head.npz of head.py")
    parser.add_argument("--model", type=Path, required=True, help="model.onnx of nsfw")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_name("head.json"))
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    media, weights, bias = read_head(arguments.head)
    write_json(arguments.json, media, weights, bias)
    made = join(arguments.model, weights, bias)
    check(made, arguments.model, weights, bias)
    arguments.out.write_bytes(made)
    print(f"{len(made):,} bytes, media: {', '.join(media)}")
